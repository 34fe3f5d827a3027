/**
 * Endpoints that no command calls, and why (cli.md 7.1). A test walks the contract: an endpoint is in the `calls` of a
 * command or here.
 */

const browser = 'a redirect for browsers; the console signs in and binds accounts this way';

/** What the command line waits for while it signs in. */
const person = 'a person answers at the page `/cli` of the console; `login --web` and `--device` lead there';

export const notCommands: Readonly<Record<string, string>> = {
  'billing.subscription':
    'look-alike for clients of relay keys; `token check` asks `billing.keyUsage`, which says more',
  'billing.usage': 'look-alike for clients of relay keys; `token check` asks `billing.keyUsage`, which says more',
  'channels.delete': '`channel delete` takes several and sends them as one batch',
  'channels.enabledModels': '`model list --enabled` asks `prices.list`, which knows their prices too',
  'channels.get': 'its answer carries the key; commands read channels from lists, which never do',
  'channels.removeKey': '`channel key remove` takes several and sends them as one change',
  'channels.tags': 'fills the channel form of the console; `channel tag list` says more of each tag',
  'channels.testDraft': 'for a form that is not saved; `channel create --test` makes the channel and tests that',
  'cliSignIns.approve': person,
  'cliSignIns.authorize': person,
  'cliSignIns.deny': person,
  'cliSignIns.find': person,
  'models.byChannelType': 'fills the channel form of the console; `model list --builtin` lists the names',
  'oauth.bindTelegram': browser,
  'oauth.github': browser,
  'oauth.linuxdo': browser,
  'oauth.oidc': browser,
  'oauth.state': browser,
  'oauth.telegram': browser,
  'oauth.wechat': browser,
  'orders.notify': 'called by the payment provider',
  'passkeys.add': 'a browser makes them; `open personal` leads there',
  'passkeys.beginAdding': 'a browser makes them; `open personal` leads there',
  'passkeys.beginSignIn': 'a browser signs in by them',
  'passkeys.signIn': 'a browser signs in by them',
  'secondFactor.beginPasskey': 'a browser signs in by them; `login --web` leads there',
  'stepUp.beginPasskey': 'a browser shows them; `login --web` leads there',
  'reference.page': 'a page for browsers; `api --spec` prints what it is made of',
  'rewards.checkInAlias': 'another path of `rewards.checkIn`',
  'selfTests.proof': 'asked by the daemon of its own public address; `doctor --only address` makes it do that',
  'status.hello': 'a probe of clients; `status` says more',
  'status.test': '`status` asks `/readyz`, which tests the database for everybody',
  'tokens.deleteBatch': '`token delete` reports every token by itself, which a batch does not',
  'usageData.list': 'hourly figures of older dashboards; `usage report` sums by more',
  'usageData.listOwn': 'hourly figures of older dashboards; `usage report` sums by more',
};
