/** What `doctor` asks a server, and what is wrong with the answers. */
import { fillText } from '../../daemon/contract/fill-text.ts';
import type { SelfTestName } from '../../daemon/contract/self-tests.ts';
import type { SystemView } from '../../daemon/contract/system.ts';
import type { LocalFinding } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { fetchFor } from '../fetch.ts';
import { version } from '../version.ts';
import { allChannels } from './channel-reference.ts';

type Client = Awaited<ReturnType<CommandContext['client']>>;
type Finding = Omit<LocalFinding, 'ms'>;
/** As the contract names them; written here, since help loads nothing of it. */
const selfTestNames = [
  'mail',
  'oidc',
  'address',
  'holds',
  'ledger',
  'balances',
] as const satisfies readonly SelfTestName[];

type Check = (context: CommandContext, client: Client) => Promise<Finding[]>;

const remedies: Readonly<Record<string, string>> = {
  mail_missing: 'tollgate option set SMTPServer …',
  mail_private: 'tollgate option set SMTPServer …',
  server_address_missing: 'tollgate option set ServerAddress https://…',
  no_channel: 'tollgate channel create …',
  channels_disabled: 'tollgate channel test --all',
};

/** By what the test found; those that were made and are well need none. */
const selfTestRemedies: Readonly<Record<string, string>> = {
  mail_off: 'tollgate option set SMTPServer …',
  mail_sender: 'tollgate option set SMTPFrom …',
  mail_password: 'tollgate option set SMTPToken …',
  mail_private: 'tollgate option set SMTPServer …',
  mail_refused: 'tollgate option list --section mail',
  oidc_undiscovered: 'tollgate option set oidc.well_known https://… --discover',
  oidc_differs: 'tollgate option set oidc.well_known https://… --discover',
  oidc_unread: 'tollgate option get oidc.well_known',
  address_missing: 'tollgate option set ServerAddress https://…',
  address_private: 'tollgate option set ServerAddress https://…',
  address_unreached: 'tollgate option get ServerAddress',
  address_elsewhere: 'tollgate option get ServerAddress',
  holds_stuck: 'tollgate node list',
  ledger_differs: 'tollgate log get REQUEST',
  balances_differ: 'tollgate audit list --target ACCOUNT',
  ledger_unrecorded: 'tollgate option set LogConsumeEnabled true',
};

const selfTestTitles: Readonly<Record<SelfTestName, string>> = {
  mail: 'mail',
  oidc: 'oidc',
  address: 'public address',
  holds: 'open holds',
  ledger: 'ledger sums',
  balances: 'balances',
};

const slowAnswerMs = 1000;
const clockWarnsMs = 1000;
const clockFailsMs = 5000;
const certificateWarnsDays = 21;
const dayMs = 86_400_000;
/** So many names are told. */
const toldNames = 5;

/** By name, in the order in which they are made. */
export const serverChecks: Readonly<Record<string, Check>> = {
  connection: checkConnection,
  server: async (_context, client) => {
    const status = await client.status.get();
    return [
      status.version === version
        ? finding('server', 'ok', status.version)
        : finding('server', 'warn', status.version, { expected: version, remedy: 'tollgate version --check' }),
      status.setup
        ? finding('setup', 'ok', 'done')
        : finding('setup', 'fail', 'not done', { remedy: 'tollgate setup' }),
    ];
  },
  system: async (_context, client) => {
    const { database, warnings, nodes } = await client.system.get();
    const alive = nodes.filter((node) => node.alive).length;
    return [
      finding('database', database.reachable ? 'ok' : 'fail', `${database.engine}, ${database.ms} ms`),
      finding('nodes', alive > 0 ? 'ok' : 'fail', `${alive}`),
      ...warnings.map(({ code, message }) => finding(code, 'warn', message, { remedy: remedies[code] ?? '' })),
    ];
  },
  channels: async (_context, client) => channelFindings((await client.system.get()).channels),
  prices: async (_context, client) => {
    const { items, total } = await client.prices.list({ enabled: true, unset: true, page: 1, page_size: toldNames });
    if (total === 0) return [finding('prices', 'ok', 'every offered model has one')];
    const names = listed(
      items.map(({ model_name }) => model_name),
      total,
    );
    return [finding('prices', 'warn', `without one: ${names}`, { remedy: 'tollgate model list --unpriced' })];
  },
  groups: checkGroups,
  upstreams: async (_context, client) => {
    const { items } = await client.system.check();
    return items.map(({ address, reachable, status, ms, reason, channels }) =>
      reachable
        ? finding(`upstream ${address}`, 'ok', `HTTP ${status}, ${ms} ms`)
        : finding(`upstream ${address}`, 'fail', reason, {
            remedy: `tollgate channel test ${channels.slice(0, toldNames).join(' ')}`,
          }),
    );
  },
  ...Object.fromEntries(selfTestNames.map((name) => [name, selfTest(name)])),
  audit: async (_context, client) => {
    const { intact, rows, first_broken: broken } = await client.audits.verify({});
    return [
      intact
        ? finding('audit chain', 'ok', fillText('{rows} {rows:row|rows}', { rows }))
        : finding('audit chain', 'fail', `broken at ${broken ?? 'its end'}`, { remedy: 'tollgate audit verify' }),
    ];
  },
};

/** What the daemon finds of itself, in the language of the caller. */
function selfTest(check: SelfTestName): Check {
  return async (_context, client) => {
    const { result, code, message, request_id, account } = await client.selfTests.run({ check });
    const remedy = (selfTestRemedies[code] ?? '').replace('REQUEST', request_id).replace('ACCOUNT', account);
    return [finding(selfTestTitles[check], result, message, { remedy })];
  };
}

function finding(
  check: string,
  result: Finding['result'],
  found: string,
  { expected = '', remedy = '' }: { readonly expected?: string; readonly remedy?: string } = {},
): Finding {
  return { check, result, found, expected, remedy };
}

function listed(names: readonly string[], total: number): string {
  const left = total - Math.min(total, toldNames);
  return `${names.slice(0, toldNames).join(', ')}${left === 0 ? '' : ` and ${left} more`}`;
}

/** Whether the server is ready, how long it takes to say so, how late its clock is, and how long its certificate lasts. */
async function checkConnection(context: CommandContext, client: Client): Promise<Finding[]> {
  const { url, settings } = await context.target();
  // Tells of a server that is not reached, and spares the next call the way there.
  await client.status.get();
  let validTo: string | undefined;
  const call = await fetchFor({
    ...context.wire,
    caFile: settings.ca_file,
    onCertificate: (certificate) => {
      validTo = certificate.valid_to;
    },
  });
  const began = Date.now();
  const response = await call(`${url}/readyz`, { method: 'GET' });
  const said = (await response.text()).trim();
  const ended = Date.now();
  const ms = ended - began;
  const told = Date.parse(response.headers.get('date') ?? '');
  const findings = [
    response.ok
      ? finding('ready', 'ok', `HTTP ${response.status}`)
      : finding('ready', 'fail', `HTTP ${response.status} ${said}`, {
          expected: 'HTTP 200',
          remedy: 'tollgate status',
        }),
    finding('answer time', ms < slowAnswerMs ? 'ok' : 'warn', `${ms} ms`, {
      expected: ms < slowAnswerMs ? '' : `below ${slowAnswerMs} ms`,
    }),
  ];
  if (!Number.isNaN(told)) findings.push(clockFinding(told, { began, ended }));
  if (validTo !== undefined) findings.push(certificateFinding(validTo));
  return findings;
}

/** The server tells whole seconds, of a moment between the question and the answer. */
function clockFinding(told: number, { began, ended }: { readonly began: number; readonly ended: number }): Finding {
  const apart = Math.max(0, told - ended, began - (told + 999));
  const found = `${(apart / 1000).toFixed(1)} s apart`;
  if (apart < clockWarnsMs) return finding('clock', 'ok', found);
  const remedy = 'timedatectl set-ntp true';
  return finding('clock', apart < clockFailsMs ? 'warn' : 'fail', found, { expected: 'below 1 s', remedy });
}

/** Days that the certificate is good for; one that is not to be trusted, or has expired, has ended the call. */
function certificateFinding(validTo: string): Finding {
  const days = Math.floor((Date.parse(validTo) - Date.now()) / dayMs);
  const expected = `${certificateWarnsDays} days or more`;
  const left = fillText('{days} {days:day|days} left', { days });
  return days < certificateWarnsDays
    ? finding('certificate', 'warn', left, { expected })
    : finding('certificate', 'ok', left);
}

/** Enabled channels that cannot serve now, and those that the server took out of routing. */
function channelFindings(channels: SystemView['channels']): Finding[] {
  const enabled = channels.filter(({ status }) => status === 1);
  const sick: readonly (readonly [what: string, which: typeof channels, result: 'warn' | 'fail', command: string])[] = [
    ['without a usable key', enabled.filter(({ keys }) => keys.usable === 0), 'fail', 'channel key list'],
    ['cooling', enabled.filter(({ cooling }) => cooling > 0), 'warn', 'channel test'],
    ['disabled automatically', channels.filter(({ status }) => status === 3), 'warn', 'channel test'],
    ['never tested', enabled.filter(({ response_time }) => response_time === 0), 'warn', 'channel test'],
  ];
  const findings = sick.flatMap(([what, which, result, command]) => {
    const [first] = which;
    if (first === undefined) return [];
    const names = listed(
      which.map(({ name }) => name),
      which.length,
    );
    const ids = command === 'channel test' ? which.slice(0, toldNames).map(({ id }) => id) : [first.id];
    return [finding('channels', result, `${what}: ${names}`, { remedy: `tollgate ${command} ${ids.join(' ')}` })];
  });
  return findings.length > 0 ? findings : [finding('channels', 'ok', `${enabled.length} enabled`)];
}

/** Groups that channels name and the site does not have. */
async function checkGroups(context: CommandContext, client: Client): Promise<Finding[]> {
  const known = new Set((await client.groups.list()).items);
  const missing = new Map<string, number>();
  for await (const { id, group } of allChannels(context)) {
    for (const name of group.split(',')) if (name !== '' && !known.has(name)) missing.set(name, id);
  }
  if (missing.size === 0) return [finding('groups', 'ok', `${known.size}`)];
  return [...missing].map(([name, id]) =>
    finding('groups', 'warn', `channel ${id} is in ${name}, which there is not`, {
      remedy: `tollgate group set ${name} --ratio 1`,
    }),
  );
}
