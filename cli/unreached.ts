/** A server that was not reached: what the system says of the connection, and what to do about it. */
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { type Bilingual, both } from './language.ts';
import { hints } from './output/hints.ts';

const strange = both(
  'name its authority with --ca-file FILE, or in the profile: tollgate profile edit --ca-file',
  '请用 --ca-file 文件 指定其证书颁发机构，或写入配置：tollgate profile edit --ca-file',
);
const ended = both(
  'renew the certificate of the server; see that the clock of this machine is right',
  '请更新服务器证书，并确认本机时钟正确',
);
const scheme = both(
  'check --url: https:// where the server speaks TLS, http:// where it does not',
  '请检查 --url：服务器启用 TLS 时用 https://，否则用 http://',
);

const byReason: Readonly<Record<string, Bilingual>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: strange,
  SELF_SIGNED_CERT_IN_CHAIN: strange,
  UNABLE_TO_GET_ISSUER_CERT: strange,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: strange,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: strange,
  CERT_HAS_EXPIRED: ended,
  CERT_NOT_YET_VALID: ended,
  ERR_TLS_CERT_ALTNAME_INVALID: both(
    'write the name that its certificate is for in --url',
    '请在 --url 中使用证书所签发的域名',
  ),
  ERR_SSL_WRONG_VERSION_NUMBER: scheme,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: scheme,
  // A server that stops does so, and one that speaks TLS on a call in the clear.
  UND_ERR_SOCKET: both(
    'see that the daemon runs; check --url: https:// where it speaks TLS',
    '请确认服务已启动，并检查 --url：启用 TLS 时用 https://',
  ),
};

/** @param reason as Node and undici call it */
export function unreachedHint(reason: string): Bilingual {
  return byReason[reason] ?? hints.not_reached ?? scheme;
}

/** @param reason empty where nothing is known */
export function unreachedText(url: string, reason: string): Bilingual {
  const { en, zh } = inBrackets(reason);
  return both(`${url} was not reached${en}`, `无法连接 ${url}${zh}`);
}

/** A reason behind what it is the reason of. @param reason empty where nothing is known */
export function inBrackets(reason: string): Bilingual {
  return reason === '' ? both('', '') : both(` (${reason})`, `（${reason}）`);
}

/** A call that `fetch` gave up, as the failure that ends the command: exit 10. */
export function notReached(url: string, cause: unknown): CliError {
  const reason = reasonOf(cause);
  const failure = { cause, hint: unreachedHint(reason) };
  return ownFailureIn(cause) ?? new CliError('not_reached', exitCodes.unavailable, unreachedText(url, reason), failure);
}

/** What a failure comes from, itself first. */
function* causesOf(error: unknown): Generator<Error> {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) yield at;
}

/** The failure that this side of the wire has put into words already. */
export function ownFailureIn(error: unknown): CliError | undefined {
  return [...causesOf(error)].find((cause) => cause instanceof CliError);
}

/** What the system says of a connection that was not made, or broke: `ECONNREFUSED`; its words where it has no code. */
export function reasonOf(error: unknown): string {
  const causes = [...causesOf(error)];
  const codes = causes.map((at) => ('code' in at && typeof at.code === 'string' ? at.code : undefined));
  return codes.findLast((code) => code !== undefined) ?? causes.at(-1)?.message ?? '';
}
