/** Limits of a user by the minute and of calls at once, in the drawer: set at once (console.md 6.21). */
import { Button, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { limits as endpoints, type LimitView } from '../../../daemon/contract/limits.ts';
import { callsFor } from '../../api/client.ts';
import { useFailures } from '../../api/failures.ts';
import classes from '../../billing/budget-section.module.css';
import { ErrorPanel, Section } from '../../components/section.tsx';
import { sendOnEnter } from '../../components/send-on-enter.ts';
import { toast } from '../../components/toast.ts';
import { useUnsentPart } from '../../components/unsent-parts.ts';

const limits = callsFor(endpoints);
const kinds = ['rpm', 'tpm', 'concurrency'] as const;
type Texts = Readonly<Record<LimitView['kind'], string>>;

export function LimitSection({ username }: { readonly username: string }) {
  const { t } = useTranslation('users');
  const on = `user:${username}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['limits'],
    queryFn: ({ signal }) => limits.list({}, { signal }),
    staleTime: 0,
  });
  const own = data?.filter((limit) => limit.on === on);
  return (
    <Section title={t('limit.title')} description={t('limit.hint')} level={3} isPlain>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {own && <LimitFields on={on} own={own} />}
    </Section>
  );
}

function LimitFields({ on, own }: { readonly on: string; readonly own: readonly LimitView[] }) {
  const { t } = useTranslation('users');
  const client = useQueryClient();
  const failure = useFailures();
  const limitOf = (kind: LimitView['kind']) => own.find((limit) => limit.kind === kind)?.limit;
  const textOf = (kind: LimitView['kind']) => String(limitOf(kind) ?? '');
  const [texts, setTexts] = useState<Texts>({
    rpm: textOf('rpm'),
    tpm: textOf('tpm'),
    concurrency: textOf('concurrency'),
  });
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  useUnsentPart(
    kinds.some((kind) => Number(texts[kind]) !== (limitOf(kind) ?? 0)),
    t('limit.set'),
  );

  const set = async () => {
    if (isSending) return;
    if (kinds.some((kind) => !/^\d*$/.test(texts[kind].trim()))) return setProblem(t('limit.wrong'));
    setProblem(undefined);
    setSending(true);
    const [rpm, tpm, concurrency] = [Number(texts.rpm), Number(texts.tpm), Number(texts.concurrency)];
    try {
      await limits.set({ on, rpm, tpm, concurrency });
      toast.success(t('limit.done'));
      await client.invalidateQueries({ queryKey: ['limits'] });
    } catch (error) {
      setProblem(failure(error));
    }
    setSending(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields within
    <div className={classes.fields} onKeyDown={sendOnEnter(set)}>
      {kinds.map((kind) => (
        <TextInput
          key={kind}
          label={t(`limit.${kind}`)}
          value={texts[kind]}
          onChange={({ currentTarget }) => setTexts({ ...texts, [kind]: currentTarget.value })}
          error={kind === 'rpm' && problem}
          inputMode="numeric"
          autoComplete="off"
          maxLength={12}
        />
      ))}
      <Button className={classes.act ?? ''} variant="default" onClick={() => void set()} loading={isSending}>
        {t('limit.set')}
      </Button>
    </div>
  );
}
