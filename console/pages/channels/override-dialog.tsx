/** The operations of a channel's parameter override as rows, with what they make of a sample (console.md 6.9). */
import { Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconPlus } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../daemon/contract/client.ts';
import { useFailures } from '../../api/failures.ts';
import { JsonEditor } from '../../components/json-editor.tsx';
import { Dialog } from '../../components/section.tsx';
import { useAskedClose } from '../../components/use-asked-close.ts';
import { channels } from './channel-calls.ts';
import classes from './editor.module.css';
import { inLabels } from './override-labels.ts';
import { type OperationActs, OverrideOperation } from './override-operation.tsx';
import { type Preview, PreviewAnswer } from './override-preview.tsx';
import {
  type FactName,
  factsOf,
  factsRead,
  mistakesOf,
  moved,
  newRow,
  type OverrideDraft,
  type OverrideRow,
  overrideText,
  readOverride,
  refusedPlace,
} from './override-rows.ts';

export interface OverrideDialogProps {
  /** The field's text. */
  readonly text: string;
  /** Asked for by the sample. */
  readonly model: string;
  readonly onApply: (text: string) => void;
  readonly onClose: () => void;
}

/** What the last preview was refused for. */
interface Refusal {
  readonly text: string;
  /** Undefined where it is about the whole. */
  readonly place: { readonly id: string; readonly member: string } | 'sample' | undefined;
}

export function OverrideDialog({ text, model, onApply, onClose }: OverrideDialogProps) {
  const { t } = useTranslation(['override', 'frame']);
  const failure = useFailures();
  const panel = useRef<HTMLDivElement>(null);
  const [first] = useState(() => readOverride(text));
  const [draft, setDraft] = useState<OverrideDraft>(first ?? { isFlat: false, beside: {}, rows: [] });
  const [sample, setSample] = useState(() => sampleFor(model));
  const [facts, setFacts] = useState<Readonly<Partial<Record<FactName, string>>>>({});
  // What is still being typed is not called wrong.
  const [isChecked, setChecked] = useState(false);
  const [preview, setPreview] = useState<Preview>();
  const [refusal, setRefusal] = useState<Refusal>();
  const [isAsking, setAsking] = useState(false);
  const latest = useRef(0);
  const focusLater = useFocusLater(panel);
  const { rows } = draft;
  const read = factsRead(rows);

  /** Whatever was said of the rows and the sample is about others now. */
  const forget = () => {
    latest.current += 1;
    setPreview(undefined);
    setRefusal(undefined);
    setAsking(false);
  };
  const change = (next: readonly OverrideRow[]) => {
    forget();
    setDraft({ ...draft, rows: next });
  };
  /** True where everything can be written; else the first mistake has the focus. */
  const check = () => {
    setChecked(true);
    const isWritable = mistakesOf(rows).size === 0;
    if (!isWritable) focusLater('[aria-invalid=true]');
    return isWritable;
  };
  const ask = async () => {
    if (!check()) return;
    forget();
    const turn = latest.current;
    setAsking(true);
    try {
      const answer = await channels.previewOverride({
        param_override: overrideText(draft),
        body: sample,
        facts: factsOf(facts, read),
      });
      if (turn === latest.current) setPreview({ before: sample, answer });
    } catch (error) {
      const told = failure(error);
      if (turn !== latest.current || told === undefined) return;
      const field = error instanceof ApiError ? error.field : undefined;
      setRefusal({
        text: inLabels(told, field ?? '', rows, t),
        place: field === 'body' ? 'sample' : refusedPlace(field, rows),
      });
      focusLater('[aria-invalid=true], [data-refused]');
    } finally {
      if (turn === latest.current) setAsking(false);
    }
  };
  const apply = () => {
    if (!check()) return;
    onApply(overrideText(draft));
    onClose();
  };
  const close = useAskedClose(first !== undefined && draft !== first, onClose);
  const move = (row: OverrideRow, by: -1 | 1) => {
    const index = rows.indexOf(row);
    change(moved(rows, index, by));
    // At either end the button that was pressed can be pressed no more.
    const isAtEnd = index + by === 0 || index + by === rows.length - 1;
    const way = by === -1 ? 'up' : 'down';
    const back = by === -1 ? 'down' : 'up';
    focusLater(`[data-act="${row.id}-${isAtEnd ? back : way}"]`);
  };
  const remove = (row: OverrideRow) => {
    const next = rows.filter((one) => one !== row);
    change(next);
    const neighbour = next[rows.indexOf(row)] ?? next.at(-1);
    focusLater(neighbour ? `[data-act="${neighbour.id}-remove"]` : '[data-act=add]');
  };
  const acts = useSteadyActs({
    change: (next) => change(rows.map((one) => (one.id === next.id ? next : one))),
    move,
    remove,
  });
  const add = () => {
    const row = newRow();
    change([...rows, row]);
    focusLater(`[data-act="${row.id}-mode"]`);
  };
  const refusedMember = typeof refusal?.place === 'object' ? refusal.place : undefined;
  const beside = Object.keys(draft.beside);
  const removeBeside = () => {
    forget();
    setDraft({ ...draft, beside: {} });
    focusLater('[data-act=add]');
  };
  return (
    <Dialog
      opened
      onClose={close}
      title={t('title')}
      size={820}
      isLong
      footer={
        <>
          <Button variant="default" onClick={close}>
            {t('frame:action.cancel')}
          </Button>
          <Button onClick={apply} disabled={first === undefined}>
            {t('apply')}
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears of its fields, and is pressed by nobody */}
      <div ref={panel} className={classes.section} onBlur={() => setChecked(true)}>
        {first === undefined ? (
          <p className={classes.banner}>{t('unreadable')}</p>
        ) : (
          <>
            <p className={classes.hint}>{t('help')}</p>
            {rows.map((row, index) => (
              <OverrideOperation
                key={row.id}
                row={row}
                place={index + 1}
                count={rows.length}
                isChecked={isChecked}
                refused={refusedMember?.id === row.id ? refusedMember.member : undefined}
                refusal={refusedMember?.id === row.id ? refusal?.text : undefined}
                acts={acts}
              />
            ))}
            <div>
              <Button
                data-act="add"
                size="xs"
                variant="default"
                leftSection={<IconPlus size={14} stroke={1.75} />}
                onClick={add}
              >
                {t('add')}
              </Button>
            </div>
            {beside.length > 0 && (
              <div className={classes.bar}>
                <p className={classes.warning}>{t('beside', { names: beside.join(', ') })}</p>
                <Button size="xs" variant="default" onClick={removeBeside}>
                  {t('removeBeside')}
                </Button>
              </div>
            )}
            <JsonEditor
              label={t('sample')}
              description={t('sampleHelp')}
              value={sample}
              onChange={(next) => {
                forget();
                setSample(next);
              }}
              error={refusal?.place === 'sample' ? refusal.text : undefined}
            />
            {read.length > 0 && (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset brings borders of its own; the label is read out all the same
              <div role="group" aria-label={t('facts')} className={classes.operation}>
                <span className={classes.label}>{t('facts')}</span>
                <div className={classes.pair}>
                  {read.map((name) => (
                    <TextInput
                      key={name}
                      label={name}
                      inputMode={name === 'retry_index' || name === 'channel_id' ? 'numeric' : 'text'}
                      value={facts[name] ?? ''}
                      autoComplete="off"
                      onChange={(event) => {
                        forget();
                        setFacts({ ...facts, [name]: event.currentTarget.value });
                      }}
                    />
                  ))}
                </div>
              </div>
            )}
            <div>
              <Button variant="default" onClick={ask} loading={isAsking}>
                {t('preview')}
              </Button>
            </div>
            <div role="status">{preview && <PreviewAnswer preview={preview} />}</div>
            {refusal && refusal.place === undefined && (
              <p className={classes.warning} role="alert">
                {refusal.text}
              </p>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}

function sampleFor(model: string): string {
  const messages = [{ role: 'user', content: 'Hello' }];
  return JSON.stringify(
    { model: model || 'gpt-4o', messages, temperature: 1, max_tokens: 1024, stream: true },
    null,
    2,
  );
}

/** Puts the focus on what a selector finds once the change that leads to it is drawn. */
function useFocusLater(within: { readonly current: HTMLElement | null }): (selector: string) => void {
  const wanted = useRef<string>(undefined);
  const [, draw] = useState(0);
  useEffect(() => {
    if (wanted.current === undefined) return;
    within.current?.querySelector<HTMLElement>(wanted.current)?.focus();
    wanted.current = undefined;
  });
  return (selector) => {
    wanted.current = selector;
    draw((count) => count + 1);
  };
}

/** The same from one drawing to the next: what hands them to each operation makes none of them be drawn anew. */
function useSteadyActs(acts: OperationActs): OperationActs {
  const latest = useRef(acts);
  latest.current = acts;
  return useMemo(
    () => ({
      change: (row) => latest.current.change(row),
      move: (row, by) => latest.current.move(row, by),
      remove: (row) => latest.current.remove(row),
    }),
    [],
  );
}
