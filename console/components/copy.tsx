/** Copies text (console.md 7.12): by the Clipboard API, else by a selection, else the user copies from a dialog. */
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { type MouseEvent, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyLate } from '../session/late-code.ts';
import { Store, useStore } from '../session/store.ts';
import classes from './copy.module.css';
import { shownAfterCopy } from './copy-text.ts';
import { toast } from './toast.ts';

export interface CopyOptions {
  /** Told as `sk-…abcd`. */
  readonly isSecret?: boolean;
  /** Told instead of the value, for what is too long to be worth showing. */
  readonly label?: string;
  /** Nothing is told but by the button. */
  readonly isQuiet?: boolean;
}

/** Text that the browser refused to copy; shown in a dialog. */
const uncopied = new Store<string | undefined>(undefined);

/** True when the text is on the clipboard. */
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeBySelection(text);
  }
}

/** For pages that were not fetched over HTTPS, where there is no Clipboard API. */
function writeBySelection(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = classes.offScreen ?? '';
  // Inside the open dialog, whose focus trap takes the focus back from anywhere else.
  (before?.closest('[role=dialog],[role=alertdialog]') ?? document.body).append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}

/** `const copy = useCopy(); await copy(text)`: copies and says so; true when that worked. */
export function useCopy(): (text: string, options?: CopyOptions) => Promise<boolean> {
  const { t } = useTranslation('frame');
  return useCallback(
    async (text, { isSecret = false, label, isQuiet = false } = {}) => {
      const isCopied = await write(text);
      if (!isCopied) uncopied.set(text);
      else if (!isQuiet) toast.success(t('notice.copied', { value: label ?? shownAfterCopy(text, isSecret) }));
      return isCopied;
    },
    [t],
  );
}

const tickMs = 1500;

/** Copies at a click; true for a moment afterwards. */
function useCopyWithTick(value: string | (() => string | Promise<string>), options: CopyOptions) {
  const copy = useCopy();
  const [isDone, setDone] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const act = async (event: MouseEvent) => {
    event.stopPropagation();
    const text = typeof value === 'string' ? value : await value();
    if (!(await copy(text, options))) return;
    setDone(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDone(false), tickMs);
  };
  return { isDone, act };
}

export interface CopyButtonProps extends CopyOptions {
  /** A function is asked at the click, for what is fetched then. */
  readonly value: string | (() => string | Promise<string>);
  /** Accessible name; "Copy" when absent. */
  readonly name?: string;
}

/** An icon that turns into a tick for a moment. */
export function CopyButton({ value, name, ...options }: CopyButtonProps) {
  const { t } = useTranslation('frame');
  const { isDone, act } = useCopyWithTick(value, options);
  const title = name ?? t('action.copy');
  return (
    <button type="button" className={classes.button} aria-label={title} title={title} onClick={act}>
      {isDone ? <IconCheck size={16} stroke={1.75} className={classes.tick} /> : <IconCopy size={16} stroke={1.75} />}
    </button>
  );
}

/** A value that is copied by a click on it: ids and request ids, with the middle cut where it is long. */
export function CopyText({ value, label, isCut = false }: { value: string; label?: string; isCut?: boolean }) {
  const { t } = useTranslation('frame');
  const { isDone, act } = useCopyWithTick(value, {});
  const shown = isCut && value.length > 16 ? `${value.slice(0, 8)}…${value.slice(-6)}` : value;
  return (
    <button type="button" className={classes.value} title={t('action.copy')} onClick={act}>
      {label && <span className={classes.label}>{label}</span>}
      <code>{shown}</code>
      {isDone ? <IconCheck size={14} stroke={1.75} className={classes.tick} /> : <IconCopy size={14} stroke={1.75} />}
    </button>
  );
}

const CopyDialog = lazyLate(() => import('./copy-dialog.tsx').then((module) => ({ default: module.CopyDialog })));

/** Where a text appears that could not be copied; mounted once around the pages. */
export function CopyHost() {
  // A secret is not kept for whoever signs in next.
  useEffect(() => () => uncopied.set(undefined), []);
  const text = useStore(uncopied);
  return (
    <Suspense fallback={null}>
      {text !== undefined && <CopyDialog text={text} onClose={() => uncopied.set(undefined)} />}
    </Suspense>
  );
}
