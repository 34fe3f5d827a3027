/** JSON to be read (console.md 7.4): folds, search, a path copied by a click on its name. */
import { TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconSearch } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Input.css';
import { CopyButton, useCopy } from './copy.tsx';
import { type JsonLine, jsonLines, linesWith, textOfLines, visibleLines } from './json-lines.ts';
import classes from './json-viewer.module.css';

export interface JsonViewerProps {
  /** A value, or a JSON text; a text that is none is shown as it is. */
  readonly value: unknown;
  readonly label: string;
  /** Pixels; 420 when absent. */
  readonly height?: number;
}

/** From here on only the lines in sight are in the document. */
const manyLines = 2000;
const lineHeight = 24;

function readValue(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

export function JsonViewer({ value, label, height = 420 }: JsonViewerProps) {
  const { t } = useTranslation('components');
  const parsed = useMemo(() => readValue(value), [value]);
  const lines = useMemo(() => jsonLines(parsed), [parsed]);
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const [query, setQuery] = useState('');
  const [step, setStep] = useState(0);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const found = useMemo(() => linesWith(lines, query.trim()), [lines, query]);
  const isSearching = query.trim() !== '';
  // What is looked for may lie in a folded part: nothing is folded meanwhile.
  const visible = useMemo(() => visibleLines(lines, isSearching ? new Set() : folded), [lines, folded, isSearching]);
  const isVirtual = visible.length > manyLines;
  const virtual = useVirtualizer({
    count: isVirtual ? visible.length : 0,
    getScrollElement: () => scroller,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  const current = found[step];

  const goTo = (next: number) => {
    if (found.length === 0) return;
    const at = (next + found.length) % found.length;
    setStep(at);
    const row = visible.indexOf(found[at] ?? 0);
    // Every line has the same height, in the document or not.
    scroller?.scrollTo({ top: Math.max(0, row * lineHeight - height / 2) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    goTo(step + (event.shiftKey ? -1 : 1));
  };
  const toggle = (index: number) => {
    const next = new Set(folded);
    if (!next.delete(index)) next.add(index);
    setFolded(next);
  };
  const text = typeof value === 'string' ? value : () => textOfLines(lines);
  if (typeof value === 'string' && parsed === undefined) {
    return (
      <div className={classes.viewer}>
        <div className={classes.bar}>
          <CopyButton value={text} label={label} />
        </div>
        <section
          className={classes.plain}
          style={{ maxHeight: height }}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard
          tabIndex={0}
          aria-label={label}
        >
          {value}
        </section>
      </div>
    );
  }
  const shown = isVirtual ? virtual.getVirtualItems().map((item) => item.index) : visible.map((_, row) => row);
  return (
    <div className={classes.viewer}>
      <div className={classes.bar}>
        <TextInput
          size="xs"
          className={classes.search ?? ''}
          aria-label={t('json.search')}
          placeholder={t('json.search')}
          leftSection={<IconSearch size={14} stroke={1.75} />}
          value={query}
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setStep(-1);
          }}
          onKeyDown={onKeyDown}
        />
        <span className={classes.found} role="status">
          {isSearching && t('json.found', { at: Math.min(step + 1, found.length), count: found.length })}
        </span>
        <CopyButton value={text} label={label} />
      </div>
      <section
        ref={setScroller}
        className={classes.lines}
        style={{ maxHeight: height }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard
        tabIndex={0}
        aria-label={label}
      >
        <div className={classes.canvas} style={{ height: visible.length * lineHeight }}>
          {shown.map((row) => {
            const index = visible[row] ?? 0;
            const line = lines[index];
            return (
              line && (
                <Line
                  key={index}
                  line={line}
                  row={row}
                  isFolded={folded.has(index) && !isSearching}
                  isFound={isSearching && found.includes(index)}
                  isCurrent={index === current}
                  onToggle={() => toggle(index)}
                />
              )
            );
          })}
        </div>
      </section>
    </div>
  );
}

interface LineProps {
  readonly line: JsonLine;
  readonly row: number;
  readonly isFolded: boolean;
  readonly isFound: boolean;
  readonly isCurrent: boolean;
  readonly onToggle: () => void;
}

function Line({ line, row, isFolded, isFound, isCurrent, onToggle }: LineProps) {
  const { t } = useTranslation('components');
  const copy = useCopy();
  const { kind, depth, name, text, path, size } = line;
  const closing = text === '[' ? ']' : '}';
  const comma = line.hasComma && (kind !== 'open' || isFolded) ? ',' : '';
  return (
    <div
      className={classes.line}
      style={{ top: row * lineHeight, paddingInlineStart: depth * 16 + 24 }}
      data-found={isFound || undefined}
      data-current={isCurrent || undefined}
    >
      {kind === 'open' && (
        <button
          type="button"
          className={classes.fold}
          style={{ insetInlineStart: depth * 16 + 2 }}
          aria-expanded={!isFolded}
          aria-label={t(isFolded ? 'json.unfold' : 'json.fold', { path: path || '{}' })}
          onClick={onToggle}
        >
          {isFolded ? <IconChevronRight size={14} /> : <IconChevronDown size={14} />}
        </button>
      )}
      {name !== undefined && (
        <>
          <button type="button" className={classes.name} title={t('json.copyPath')} onClick={() => copy(path)}>
            {JSON.stringify(name)}
          </button>
          {': '}
        </>
      )}
      <span className={classes[kind]}>{text}</span>
      {isFolded && (
        <span className={classes.folded}>
          {' '}
          {t('json.members', { count: size ?? 0 })} {closing}
        </span>
      )}
      {comma}
    </div>
  );
}
