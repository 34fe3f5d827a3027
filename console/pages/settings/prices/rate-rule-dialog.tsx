/** Adds a rate rule, or changes the ratio of one. */
import { Select, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { isModelPattern, type RateRuleView, RateSubjectKind } from '../../../../daemon/contract/rate-rules.ts';
import { useFailures } from '../../../api/failures.ts';
import { Dialog } from '../../../components/section.tsx';
import { toast } from '../../../components/toast.ts';
import { FormEnd } from './form-end.tsx';
import { figureOf } from './price-entry.ts';
import classes from './prices.module.css';
import { groupsQuery, rateRules, rulesQuery, subjectText, userIdOf } from './rate-rule-calls.ts';

interface RateRuleDialogProps {
  /** Absent: one is added. */
  readonly rule?: RateRuleView;
  readonly onClose: () => void;
}

const kinds = RateSubjectKind.options;

export function RateRuleDialog({ rule, onClose }: RateRuleDialogProps) {
  const { t } = useTranslation(['settings-price-work', 'frame']);
  const failure = useFailures();
  const queryClient = useQueryClient();
  const groups = useQuery(groupsQuery);
  const [kind, setKind] = useState<RateSubjectKind>(rule?.subject_kind ?? 'user');
  const [subject, setSubject] = useState(rule?.subject ?? '');
  const [model, setModel] = useState(rule?.model ?? '');
  const [ratio, setRatio] = useState(rule ? String(rule.ratio) : '');
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const who = subject.trim();
    const figure = figureOf(ratio)?.value;
    if (who === '') return setProblem(t('rates.noSubject'));
    if (!isModelPattern(model.trim())) return setProblem(t('rates.badModel'));
    if (figure === undefined) return setProblem(t('rates.badRatio'));
    setSaving(true);
    setProblem(undefined);
    try {
      const id = kind === 'user' && !rule ? await userIdOf(who) : who;
      if (id === undefined) {
        setProblem(t('rates.noUser', { name: who }));
        return;
      }
      await rateRules.set({ subject_kind: kind, subject: id, model: model.trim(), ratio: figure });
      toast.success(t('rates.saved'));
      await queryClient.invalidateQueries(rulesQuery);
      onClose();
    } catch (error) {
      setProblem(failure(error));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Dialog opened onClose={onClose} title={rule ? t('rates.edit') : t('rates.add')}>
      <form className={classes.form} onSubmit={(event) => void save(event)}>
        {rule ? (
          <p className={classes.model}>
            {t(`kind.${rule.subject_kind}`)} {subjectText(rule)} · <code>{rule.model}</code>
          </p>
        ) : (
          <>
            <Select
              label={t('rates.kind')}
              value={kind}
              data={kinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
              onChange={(value) => {
                setKind(kinds.find((known) => known === value) ?? kind);
                setSubject('');
              }}
            />
            {kind === 'group' ? (
              <Select
                label={t('rates.group')}
                value={subject === '' ? null : subject}
                data={groups.data ?? []}
                onChange={(value) => setSubject(value ?? '')}
                searchable
              />
            ) : (
              <TextInput
                label={kind === 'user' ? t('rates.user') : t('rates.token')}
                value={subject}
                onChange={(event) => setSubject(event.currentTarget.value)}
                {...(kind === 'token' ? { inputMode: 'numeric' } : {})}
                autoComplete="off"
              />
            )}
            <TextInput
              label={t('rates.model')}
              description={t('rates.modelHelp')}
              value={model}
              onChange={(event) => setModel(event.currentTarget.value)}
              autoComplete="off"
            />
          </>
        )}
        <TextInput
          label={t('rates.ratio')}
          inputMode="decimal"
          value={ratio}
          onChange={(event) => setRatio(event.currentTarget.value)}
        />
        <FormEnd problem={problem} act={t('frame:action.save')} isBusy={isSaving} onClose={onClose} />
      </form>
    </Dialog>
  );
}
