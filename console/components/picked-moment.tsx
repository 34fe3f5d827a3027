/** A moment by the kit's picker; a chunk of its own. */
import { DatesProvider, DateTimePicker } from '@mantine/dates';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/dates/styles.css';
import dayjs from 'dayjs';
import 'dayjs/locale/zh-cn';
import { useTranslation } from 'react-i18next';
import { formatTime } from './format.ts';
import type { MomentProps } from './moment-input.tsx';

export function PickedMoment({ label, seconds, onChange, error, isDisabled = false, placeholder }: MomentProps) {
  const { t, i18n } = useTranslation('list');
  return (
    <DatesProvider settings={{ locale: i18n.language === 'zh' ? 'zh-cn' : 'en', firstDayOfWeek: 1, weekendDays: [] }}>
      <DateTimePicker
        label={label}
        value={seconds === undefined ? null : formatTime(seconds)}
        onChange={(text) => onChange(text === null ? undefined : dayjs(text).unix())}
        valueFormat="YYYY-MM-DD HH:mm:ss"
        withSeconds
        clearable
        hideOutsideDates
        error={error}
        disabled={isDisabled}
        {...(placeholder === undefined ? {} : { placeholder })}
        clearButtonProps={{ 'aria-label': t('filter.remove', { label }) }}
        submitButtonProps={{ 'aria-label': t('range.confirmTime') }}
        ariaLabels={{
          nextMonth: t('range.nextMonth'),
          previousMonth: t('range.previousMonth'),
          nextYear: t('range.nextMonth'),
          previousYear: t('range.previousMonth'),
          monthLevelControl: t('range.chooseMonth'),
          yearLevelControl: t('range.chooseYear'),
        }}
        // Inside the popover of the range: a portal would count as a click outside it.
        popoverProps={{ withinPortal: false }}
      />
    </DatesProvider>
  );
}
