/** The question of `meanwhile.ts`, loaded when it is asked. */
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { confirm } from './confirm.tsx';
import { DiffView } from './diff-view.tsx';
import type { OvertakenMember } from './meanwhile.ts';
import { Quota, Time } from './quota.tsx';

/** Longer texts are compared line by line. */
const longestLine = 120;

export async function askToOverwrite(members: readonly OvertakenMember[]): Promise<'overwrite' | 'theirs' | 'stay'> {
  await i18next.loadNamespaces('overtaken');
  const t = i18next.getFixedT(null, 'overtaken');
  let isTheirs = false;
  const isSure = await confirm({
    kind: 'danger',
    title: t('title'),
    text: members.map((member) => <Overtaken key={member.name} label={labelOf(member.name)} {...member} />),
    verb: t('verb'),
    otherwise: {
      verb: t('takeTheirs'),
      act: () => {
        isTheirs = true;
      },
    },
  });
  if (isTheirs) return 'theirs';
  return isSure ? 'overwrite' : 'stay';
}

/** As the form calls it; what it does not show at the moment by the name that the server uses. */
function labelOf(name: string): string {
  const field = document.querySelector(`[data-path="${name}"]`);
  const label =
    field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
      ? field.labels?.[0]
      : field?.querySelector('label');
  const [words] = label?.childNodes ?? [];
  return words?.textContent?.trim() || field?.getAttribute('aria-label') || name;
}

function Overtaken({ label, kind, theirs, mine }: OvertakenMember & { readonly label: string }) {
  const { t } = useTranslation('overtaken');
  const text = (value: unknown): string => {
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
    return Array.isArray(value) ? value.join(', ') : String(value ?? '');
  };
  const shown = (value: unknown) => {
    if (kind === 'moment' || kind === 'expiry') return <Time seconds={Number(value)} isExpiry={kind === 'expiry'} />;
    return kind === undefined ? text(value) || t('empty') : <Quota value={Number(value)} />;
  };
  const isLong = [theirs, mine].some((value) => text(value).length > longestLine || text(value).includes('\n'));
  if (isLong) return <DiffView label={label} kind="text" before={text(theirs)} after={text(mine)} />;
  return (
    <p>
      {t('member', { label })}
      <del>{shown(theirs)}</del> → <ins>{shown(mine)}</ins>
    </p>
  );
}
