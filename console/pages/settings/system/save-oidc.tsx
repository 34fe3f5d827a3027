/** OIDC: a new well-known address is read by this browser, and fills in the three endpoints before all is saved. */
import { useTranslation } from 'react-i18next';
import type { OptionKey } from '../../../../daemon/contract/options.ts';
import { toast } from '../../../components/toast.ts';
import { isChanged } from '../option-draft.ts';
import { useSaveOptions } from '../save-options.ts';
import { SaveButton } from '../save-section.tsx';
import type { SectionPartProps } from '../section-part.ts';
import { keysOf } from '../sections.ts';
import { useProblem, useSettings } from '../settings-context.tsx';
import { fetchEndpoints } from './oidc-discovery.ts';

const wellKnown = 'oidc.well_known';

export function SaveOidc({ section }: SectionPartProps) {
  const { t } = useTranslation(['settings', 'settings-fields']);
  const { rows, board } = useSettings();
  const problem = useProblem();
  const { saveDrafts } = useSaveOptions();

  /** False where the address is none: then nothing is saved. */
  const discover = async (): Promise<boolean> => {
    const draft = board.drafts.get()[wellKnown];
    const row = rows.get(wellKnown);
    if (!row || typeof draft !== 'string' || draft.trim() === '' || !isChanged(row, draft)) return true;
    const complaint = problem(wellKnown, draft);
    board.complain(wellKnown, complaint);
    if (complaint !== undefined) {
      toast.error(complaint);
      return false;
    }
    const found = await fetchEndpoints(draft.trim());
    if (!found) {
      toast.error(t('oidc.failed'), { extra: t('oidc.cors') });
      return true;
    }
    const endpoints: readonly (readonly [OptionKey, string])[] = [
      ['oidc.authorization_endpoint', found.authorization_endpoint],
      ['oidc.token_endpoint', found.token_endpoint],
      ['oidc.user_info_endpoint', found.userinfo_endpoint],
    ];
    for (const [key, address] of endpoints) board.setDraft(key, address);
    toast.success(t('oidc.fetched'));
    return true;
  };

  const save = async () => {
    if (await discover()) await saveDrafts(keysOf(section));
  };
  return <SaveButton section={section} onSave={save} />;
}
