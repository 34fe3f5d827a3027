/** A call that works with the models of this site, for who has made none yet. */
import { useQuery } from '@tanstack/react-query';
import { account } from '../../daemon/contract/account.ts';
import { callsFor } from '../api/client.ts';
import { CopyButton } from '../components/copy.tsx';
import { useStatus } from '../session/status.ts';
import classes from './sample-call.module.css';

const calls = callsFor({ models: account.models });

/** Nothing while there is no model to call. */
export function SampleCall() {
  const address = useStatus()?.server_address || window.location.origin;
  const models = useQuery({ queryKey: ['own-models'], queryFn: ({ signal }) => calls.models({}, { signal }) });
  const model = models.data?.find((name) => name === 'gpt-4o-mini') ?? models.data?.[0];
  if (model === undefined) return null;
  const call = [
    `curl ${address}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $TOLLGATE_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hi"}]}'`,
  ].join('\n');
  return (
    <div className={classes.call}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={classes.code} tabIndex={0}>
        {call}
      </pre>
      <CopyButton value={call} label="curl" />
    </div>
  );
}
