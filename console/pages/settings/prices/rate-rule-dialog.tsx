/** Adds a rate rule, or changes the ratio of one. */
import { Select, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { ApiError } from '../../../../daemon/contract/client.ts';
import { isModelPattern, type RateRuleView, RateSubjectKind } from '../../../../daemon/contract/rate-rules.ts';
import { useFailures } from '../../../api/failures.ts';
import { Dialog } from '../../../components/section.tsx';
import { toast } from '../../../components/toast.ts';
import { useTypedClose } from '../../../components/use-asked-close.ts';
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

interface Problem {
  /** Absent: the whole was refused. */
  readonly field?: 'subject' | 'model' | 'ratio';
  readonly text: string | undefined;
}

export function RateRuleDialog({ rule, onClose }: RateRuleDialogProps) {
  const { t } = useTranslation(['settings-price-work', 'frame']);
  const failure = useFailures();
  const queryClient = useQueryClient();
  const groups = useQuery(groupsQuery);
  const rules = useQuery(rulesQuery);
  /** The ratio that is known to be replaced; null where no rule is known. */
  const [replaced, setReplaced] = useState(rule?.ratio ?? null);
  const [kind, setKind] = useState<RateSubjectKind>(rule?.subject_kind ?? 'user');
  const [subject, setSubject] = useState(rule?.subject ?? '');
  const [model, setModel] = useState(rule?.model ?? '');
  const [ratio, setRatio] = useState(rule ? String(rule.ratio) : '');
  const [problem, setProblem] = useState<Problem>();
  const { close, onInput } = useTypedClose(onClose);
  const [isSaving, setSaving] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const who = subject.trim();
    const figure = figureOf(ratio)?.value;
    if (who === '') return setProblem({ field: 'subject', text: t('rates.noSubject') });
    if (!isModelPattern(model.trim())) return setProblem({ field: 'model', text: t('rates.badModel') });
    if (figure === undefined) return setProblem({ field: 'ratio', text: t('rates.badRatio') });
    setSaving(true);
    setProblem(undefined);
    try {
      const id = kind === 'user' && !rule ? await userIdOf(who) : who;
      if (id === undefined) {
        setProblem({ field: 'subject', text: t('rates.noUser', { name: who }) });
        return;
      }
      // To set it would replace the price of that one, and say no more than that it was saved.
      const ofSame = (all: readonly RateRuleView[] = []) =>
        all.find(
          (other) => other.subject_kind === kind && other.subject === String(id) && other.model === model.trim(),
        );
      const known = ofSame(rules.data);
      if (known && !rule) return setProblem({ field: 'model', text: t('rates.known', { ratio: known.ratio }) });
      const sent = { subject_kind: kind, subject: id, model: model.trim(), ratio: figure };
      try {
        await rateRules.set({ ...sent, expected_ratio: replaced });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'rate_rule_changed') throw error;
        const now = ofSame((await rules.refetch({ throwOnError: true })).data);
        if (now && !rule) return setProblem({ field: 'model', text: t('rates.known', { ratio: now.ratio }) });
        // What was typed may stand there already: the answer to the first of two attempts was lost.
        if (now?.ratio !== figure) {
          // Sent again, it is known what it replaces.
          setReplaced(now?.ratio ?? null);
          const { updated_by: name, ratio: moved } = now ?? {};
          return setProblem({ text: now ? t('rates.moved', { name, ratio: moved }) : t('rates.gone') });
        }
      }
      toast.success(t('rates.saved'));
      await queryClient.invalidateQueries(rulesQuery);
      onClose();
    } catch (error) {
      setProblem({ text: failure(error) });
    } finally {
      setSaving(false);
    }
  };
  const errorOf = (field: Problem['field']) => problem?.field === field && problem?.text;
  return (
    <Dialog opened onClose={close} isSending={isSaving} title={rule ? t('rates.edit') : t('rates.add')}>
      <form className={classes.form} onSubmit={(event) => void save(event)} onInput={onInput}>
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
                error={errorOf('subject')}
                searchable
              />
            ) : (
              <TextInput
                label={kind === 'user' ? t('rates.user') : t('rates.token')}
                value={subject}
                onChange={(event) => setSubject(event.currentTarget.value)}
                error={errorOf('subject')}
                {...(kind === 'token' ? { inputMode: 'numeric' } : {})}
                autoComplete="off"
              />
            )}
            <TextInput
              label={t('rates.model')}
              description={t('rates.modelHelp')}
              value={model}
              onChange={(event) => setModel(event.currentTarget.value)}
              error={errorOf('model')}
              autoComplete="off"
            />
          </>
        )}
        <TextInput
          label={t('rates.ratio')}
          inputMode="decimal"
          value={ratio}
          onChange={(event) => setRatio(event.currentTarget.value)}
          error={errorOf('ratio')}
        />
        <FormEnd
          problem={problem?.field ? undefined : problem?.text}
          act={t('frame:action.save')}
          isBusy={isSaving}
          onClose={close}
        />
      </form>
    </Dialog>
  );
}
