import { Combobox } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { chosenGroup, highlighted, type ModelRow, otherGroup } from './model-options.ts';
import classes from './model-select.module.css';

const height = 350;
const rowHeight = { option: 32, group: 28 } as const;

export interface ModelListProps {
  readonly rows: readonly ModelRow[];
  readonly query: string;
  readonly chosen: ReadonlySet<string>;
  readonly known: ReadonlySet<string>;
  readonly optionId: (index: number) => string;
  readonly focusedIndex: number;
  readonly onFocusIndex: (index: number) => void;
  /** A name outside the options that may be taken as it is. */
  readonly entered: string | undefined;
  readonly label: string;
}

/** The open list; only the rows in sight are in the document. */
export function ModelList(props: ModelListProps) {
  const { rows, query, chosen, known, optionId, focusedIndex, onFocusIndex, entered, label } = props;
  const { t } = useTranslation(['components', 'frame']);
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const options = rows.filter((row) => row.kind === 'option');
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => rowHeight[rows[index]?.kind ?? 'option'],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a step of the keyboard scrolls, a new list does not
  useEffect(() => {
    const at = rows.findIndex((row) => row.kind === 'option' && row.index === focusedIndex);
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [focusedIndex]);

  const headings: Record<string, string> = {
    [chosenGroup]: t('model.chosen'),
    [otherGroup]: t('model.other'),
  };
  if (rows.length === 0 && entered === undefined) {
    return <Combobox.Empty>{query === '' ? t('model.empty') : t('frame:state.noMatch')}</Combobox.Empty>;
  }
  return (
    <Combobox.Options aria-label={label} aria-multiselectable>
      <div ref={setScroller} className={classes.scroller} style={{ maxHeight: height }} role="presentation">
        <div className={classes.canvas} style={{ height: virtual.getTotalSize() }} role="presentation">
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            const place = { transform: `translateY(${item.start}px)`, height: item.size };
            if (row.kind === 'group') {
              return (
                <div key={item.key} className={classes.group} style={place} role="presentation">
                  {headings[row.name] ?? row.name} <span className={classes.groupCount}>{row.count}</span>
                </div>
              );
            }
            const { option, index } = row;
            const isChosen = chosen.has(option.value);
            const [before, match, after] = highlighted(option.value, query);
            return (
              <Combobox.Option
                key={item.key}
                id={optionId(index)}
                value={option.value}
                className={classes.option ?? ''}
                style={place}
                active={isChosen}
                aria-selected={isChosen}
                aria-setsize={options.length}
                aria-posinset={index + 1}
                data-focused={index === focusedIndex || undefined}
                onMouseMove={() => onFocusIndex(index)}
              >
                <span className={classes.tick}>{isChosen && <IconCheck size={14} stroke={2} />}</span>
                <span className={classes.name} title={option.value}>
                  {before}
                  {match !== '' && <mark className={classes.match}>{match}</mark>}
                  {after}
                </span>
                {!known.has(option.value) && <span className={classes.note}>{t('model.unknown')}</span>}
                {option.note !== undefined && <span className={classes.note}>{option.note}</span>}
              </Combobox.Option>
            );
          })}
        </div>
      </div>
      {entered !== undefined && (
        <Combobox.Option
          id={optionId(options.length)}
          value={entered}
          className={classes.entered ?? ''}
          data-focused={focusedIndex === options.length || undefined}
        >
          {t('model.add', { name: entered })}
        </Combobox.Option>
      )}
    </Combobox.Options>
  );
}
