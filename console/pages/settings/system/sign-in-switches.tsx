/** The ways in: each switch is saved at once, and goes back where the daemon refuses it. */
import { useTranslation } from 'react-i18next';
import type { OptionKey } from '../../../../daemon/contract/options.ts';
import { toast } from '../../../components/toast.ts';
import { OptionField } from '../option-field.tsx';
import { useSaveOptions } from '../save-options.ts';
import type { SectionBodyProps } from '../section-part.ts';
import { useSettings } from '../settings-context.tsx';
import classes from './system.module.css';

export function SignInSwitches({ section, sought }: SectionBodyProps) {
  const { t } = useTranslation();
  const { board } = useSettings();
  const { send } = useSaveOptions();
  const turn = async (key: OptionKey, value: string) => {
    board.complain(key, undefined);
    // Shown at once; a refusal takes it back, and says under the switch what is missing.
    board.setDraft(key, value);
    const { saved } = await send([{ key, value }]);
    board.setDraft(key, undefined);
    if (!saved.includes(key)) return;
    const undo = async () => {
      await send([{ key, value: value === 'true' ? 'false' : 'true' }]);
    };
    toast.success(t('notice.saved'), { undo });
  };
  return (
    <div className={classes.switches}>
      {section.fields.map((field) => (
        <OptionField
          key={field.key}
          field={field}
          isLockSaid
          isSought={field.key === sought}
          onSwitch={(value) => void turn(field.key, value)}
        />
      ))}
    </div>
  );
}
