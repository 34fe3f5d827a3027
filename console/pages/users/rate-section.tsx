/** Ratios of a user's own in the drawer: what there is, and setting one at once (console.md 6.21). */
import { Button, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { rateRules as endpoints, isModelPattern, type RateRuleView } from '../../../daemon/contract/rate-rules.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure, useFailures } from '../../api/failures.ts';
import classes from '../../billing/budget-section.module.css';
import { confirm } from '../../components/confirm.tsx';
import { ErrorPanel, Section } from '../../components/section.tsx';
import { sendOnEnter } from '../../components/send-on-enter.ts';
import { RatioTag } from '../../components/tag.tsx';
import { toast } from '../../components/toast.ts';
import { useUnsentPart } from '../../components/unsent-parts.ts';

const rateRules = callsFor(endpoints);
const rulesKey = ['rate-rules'];
const highestRatio = 1_000_000;

export function RateSection({ userId }: { readonly userId: number }) {
  const { t } = useTranslation(['settings-price-work', 'users']);
  const { data, error, refetch } = useQuery({
    queryKey: rulesKey,
    queryFn: ({ signal }) => rateRules.list({}, { signal }),
    staleTime: 0,
  });
  const own = data?.filter(({ subject_kind, subject }) => subject_kind === 'user' && subject === String(userId));
  return (
    <Section title={t('users:rate.title')} description={t('users:rate.hint')} level={3} isPlain>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {own?.length === 0 && <p className={classes.none}>{t('users:rate.none')}</p>}
      {own !== undefined && own.length > 0 && (
        <ul className={classes.list}>
          {own.map((rule) => (
            <RateRow key={rule.id} rule={rule} />
          ))}
        </ul>
      )}
      {own && <NewRate userId={userId} rules={own} />}
    </Section>
  );
}

function RateRow({ rule }: { readonly rule: RateRuleView }) {
  const { t } = useTranslation(['settings-price-work', 'frame']);
  const client = useQueryClient();
  const title = t('rates.deleteTitle', { who: rule.subject_name, model: rule.model });
  const remove = async () => {
    const verb = t('frame:action.delete');
    if (!(await confirm({ kind: 'danger', title, text: t('rates.deleteText'), verb }))) return;
    try {
      await rateRules.delete({ id: rule.id });
      toast.success(t('rates.deleted'));
    } catch (error) {
      showFailure(error);
    }
    await client.invalidateQueries({ queryKey: rulesKey });
  };
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <code>{rule.model}</code>
        <RatioTag ratio={rule.ratio} />
      </div>
      <Button className={classes.remove ?? ''} variant="default" size="xs" onClick={remove} aria-label={title}>
        {t('frame:action.delete')}
      </Button>
    </li>
  );
}

/** No form of its own: it stands within that of its drawer. */
function NewRate({ userId, rules }: { readonly userId: number; readonly rules: readonly RateRuleView[] }) {
  const { t } = useTranslation(['settings-price-work', 'users']);
  const client = useQueryClient();
  const failure = useFailures();
  const [model, setModel] = useState('');
  const [ratio, setRatio] = useState('');
  const [problem, setProblem] = useState<{ readonly field: 'model' | 'ratio'; readonly text: string | undefined }>();
  const [isSending, setSending] = useState(false);
  useUnsentPart(model.trim() !== '' || ratio.trim() !== '', t('users:rate.set'));

  const set = async () => {
    if (isSending) return;
    const figure = ratio.trim() === '' ? Number.NaN : Number(ratio);
    if (!isModelPattern(model.trim())) return setProblem({ field: 'model', text: t('rates.badModel') });
    if (!(figure >= 0 && figure <= highestRatio)) return setProblem({ field: 'ratio', text: t('rates.badRatio') });
    setProblem(undefined);
    setSending(true);
    try {
      // One that is listed here is replaced knowingly; one that somebody else has changed since is shown first.
      const listed = rules.find((rule) => rule.model === model.trim());
      const rule = { subject_kind: 'user', subject: userId, model: model.trim(), ratio: figure } as const;
      await rateRules.set({ ...rule, expected_ratio: listed?.ratio ?? null });
      toast.success(t('rates.saved'));
      setModel('');
      setRatio('');
    } catch (error) {
      setProblem({ field: 'model', text: failure(error) });
    }
    await client.invalidateQueries({ queryKey: rulesKey });
    setSending(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields within
    <div className={classes.fields} onKeyDown={sendOnEnter(set)}>
      <div className={classes.wide}>
        <TextInput
          label={t('rates.model')}
          placeholder="gpt-*"
          value={model}
          onChange={({ currentTarget }) => setModel(currentTarget.value)}
          error={problem?.field === 'model' && problem.text}
          autoComplete="off"
          maxLength={255}
        />
      </div>
      <TextInput
        label={t('rates.ratio')}
        value={ratio}
        onChange={({ currentTarget }) => setRatio(currentTarget.value)}
        error={problem?.field === 'ratio' && problem.text}
        inputMode="decimal"
        autoComplete="off"
        maxLength={24}
      />
      <Button className={classes.act ?? ''} variant="default" onClick={() => void set()} loading={isSending}>
        {t('users:rate.set')}
      </Button>
    </div>
  );
}
