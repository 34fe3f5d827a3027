/** Between a table and the text that it stands for. */
import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';

export type EditMode = 'table' | 'json';

interface ModeSwitchProps {
  readonly label: string;
  readonly mode: EditMode;
  readonly onChange: (mode: EditMode) => void;
}

export function ModeSwitch({ label, mode, onChange }: ModeSwitchProps) {
  const { t } = useTranslation('settings');
  return (
    <div>
      <SegmentedControl
        aria-label={label}
        value={mode}
        data={[
          { value: 'table', label: t('mode.table') },
          { value: 'json', label: 'JSON' },
        ]}
        onChange={(value) => onChange(value === 'json' ? 'json' : 'table')}
      />
    </div>
  );
}
