/** Prices out of a list that others publish: first what would change, then, confirmed, that it does. */
import { Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import type { PriceSyncView } from '../../../../daemon/contract/price-work.ts';
import { useFailures } from '../../../api/failures.ts';
import { Dialog } from '../../../components/section.tsx';
import { toast } from '../../../components/toast.ts';
import { useTypedClose } from '../../../components/use-asked-close.ts';
import { PriceDiff } from './price-diff.tsx';
import { figureOf } from './price-entry.ts';
import { changeRows, priceWork, usePricesChanged } from './price-work.ts';
import classes from './prices.module.css';

/** The daemon asks for the list, which may be slow. */
const syncWaitMs = 60_000;
const toldNames = 8;

interface ListFile {
  readonly name: string;
  readonly content: Record<string, unknown>;
}

/** The members of a JSON object; undefined for anything else. */
function listOf(text: string): Record<string, unknown> | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return content instanceof Object && !Array.isArray(content) ? { ...content } : undefined;
  } catch {
    return undefined;
  }
}

const linesOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
const namesOf = (rows: readonly { readonly model_name: string }[]): string =>
  rows
    .slice(0, toldNames)
    .map(({ model_name }) => model_name)
    .join(', ');

export function SyncDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(['settings-price-work', 'frame']);
  const failure = useFailures();
  const changed = usePricesChanged();
  const [url, setUrl] = useState('');
  const [file, setFile] = useState<ListFile>();
  const [only, setOnly] = useState('');
  const [except, setExcept] = useState('');
  const [maxRise, setMaxRise] = useState('');
  const [noNew, setNoNew] = useState(false);
  const [note, setNote] = useState('');
  const [plan, setPlan] = useState<PriceSyncView>();
  const [problem, setProblem] = useState<string>();
  const { close, onInput } = useTypedClose(onClose);
  const [underWay, setUnderWay] = useState<'comparison' | 'change'>();
  /** What was compared is not what would be applied any more. */
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value);
      setPlan(undefined);
      setProblem(undefined);
    };
  const read = async (chosen: File | undefined) => {
    if (!chosen) return;
    const content = listOf(await chosen.text());
    if (content) change(setFile)({ name: chosen.name, content });
    else setProblem(t('sync.unreadable'));
  };
  const run = async (isDry: boolean) => {
    const rise = figureOf(maxRise);
    if (!file && url.trim() === '') return setProblem(t('sync.missing'));
    if (!rise) return setProblem(t('sync.badRise'));
    setUnderWay(isDry ? 'comparison' : 'change');
    setProblem(undefined);
    try {
      const input = {
        ...(file ? { content: file.content } : { url: url.trim() }),
        only: linesOf(only),
        except: linesOf(except),
        max_rise: rise.value ?? null,
        no_new: noNew,
        note: note.trim() === '' ? (file?.name ?? null) : note.trim(),
      };
      const ask = (dry_run: boolean) => priceWork.sync({ ...input, dry_run }, { timeoutMs: syncWaitMs });
      // Applying reads the list and the prices anew, and either may have changed since they were compared.
      const newest = await ask(true);
      const isShown = JSON.stringify(newest.changes) === JSON.stringify(plan?.changes);
      const answer = isDry || !isShown ? newest : await ask(false);
      if (!isDry && !isShown) setProblem(t('sync.moved'));
      if (answer.version === null) setPlan(answer);
      else {
        toast.success(t('sync.done', { count: answer.changes.length, version: answer.version }));
        await changed();
        onClose();
      }
    } catch (error) {
      setProblem(failure(error));
    } finally {
      setUnderWay(undefined);
    }
  };
  const isReady = plan !== undefined && plan.changes.length > 0 && plan.over.length === 0;
  return (
    <Dialog
      opened
      onClose={close}
      isSending={underWay === 'change'}
      title={t('sync.title')}
      size={860}
      footer={
        <>
          <Button variant="default" onClick={close} disabled={underWay === 'change'}>
            {t('frame:action.cancel')}
          </Button>
          <Button variant={isReady ? 'default' : 'filled'} loading={!!underWay} onClick={() => void run(true)}>
            {t('sync.compare')}
          </Button>
          {isReady && (
            <Button loading={!!underWay} onClick={() => void run(false)}>
              {t('sync.apply', { count: plan.changes.length })}
            </Button>
          )}
        </>
      }
    >
      <div className={classes.form} onInput={onInput}>
        <p className={classes.hint}>{t('sync.help')}</p>
        <TextInput
          type="url"
          label={t('sync.url')}
          value={url}
          disabled={file !== undefined}
          onChange={(event) => change(setUrl)(event.currentTarget.value)}
          autoComplete="off"
        />
        <label className={classes.file}>
          {file ? t('sync.chosen', { name: file.name }) : t('sync.file')}
          <input
            type="file"
            accept=".json,application/json"
            className={classes.unseen}
            onChange={(event) => {
              void read(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </label>
        {file && (
          <button type="button" className={classes.suggestion} onClick={() => change(setFile)(undefined)}>
            {t('sync.drop')}
          </button>
        )}
        <div className={classes.pair}>
          <Textarea
            label={t('sync.only')}
            description={t('sync.patterns')}
            value={only}
            onChange={(event) => change(setOnly)(event.currentTarget.value)}
          />
          <Textarea
            label={t('sync.except')}
            description={t('sync.patterns')}
            value={except}
            onChange={(event) => change(setExcept)(event.currentTarget.value)}
          />
        </div>
        <div className={classes.pair}>
          <TextInput
            label={t('sync.maxRise')}
            description={t('sync.maxRiseHelp')}
            inputMode="decimal"
            value={maxRise}
            onChange={(event) => change(setMaxRise)(event.currentTarget.value)}
          />
          <TextInput
            label={t('sync.note')}
            maxLength={500}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        </div>
        <Checkbox
          label={t('sync.noNew')}
          checked={noNew}
          onChange={(event) => change(setNoNew)(event.currentTarget.checked)}
        />
        {problem !== undefined && (
          <p className={classes.problem} role="alert">
            {problem}
          </p>
        )}
        {plan && <SyncPlan plan={plan} />}
      </div>
    </Dialog>
  );
}

function SyncPlan({ plan }: { readonly plan: PriceSyncView }) {
  const { t } = useTranslation('settings-price-work');
  const { format, listed, changes, over, left_out: leftOut } = plan;
  const by = (wanted: 'kind' | 'new' | 'unread') => leftOut.filter(({ reason }) => reason === wanted);
  const [kinds, unread, fresh] = [by('kind'), by('unread'), by('new').length];
  return (
    <div role="status">
      <p className={classes.hint}>{t('sync.found', { format, listed, count: changes.length })}</p>
      {over.length > 0 && (
        <p className={classes.problem}>{t('sync.over', { count: over.length, names: risesText(plan) })}</p>
      )}
      {kinds.length > 0 && (
        <p className={classes.hint}>{t('sync.kind', { count: kinds.length, names: namesOf(kinds) })}</p>
      )}
      {unread.length > 0 && (
        <p className={classes.hint}>{t('sync.unread', { count: unread.length, names: namesOf(unread) })}</p>
      )}
      {fresh > 0 && <p className={classes.hint}>{t('sync.new', { count: fresh })}</p>}
      {changes.length === 0 ? (
        <p className={classes.hint}>{t('sync.same')}</p>
      ) : (
        <PriceDiff label={t('sync.diff')} rows={changeRows(changes, t)} count={changes.length} />
      )}
    </div>
  );
}

function risesText({ over }: PriceSyncView): string {
  return over
    .slice(0, toldNames)
    .map(({ model_name, rise }) => `${model_name} +${rise}%`)
    .join(', ');
}
