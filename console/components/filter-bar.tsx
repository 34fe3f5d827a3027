/** The filters of a list: inputs, chips of the active ones, saved views, reset, refresh; a sheet on phones (console.md 5, 7.2). */
import { ActionIcon, Button } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconBookmark, IconFilter, IconRefresh, IconX } from '@tabler/icons-react';
import i18next from 'i18next';
import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './filter-bar.module.css';
import { type FilterField, FilterInput } from './filter-field.tsx';
import { lazyPart } from './late-part.tsx';
import { useRangeLabel } from './time-range.tsx';
import { usePhone } from './use-phone.ts';

export type { FilterField } from './filter-field.tsx';

// Asked for with the code, so that the first list does not wait for one after the other.
void i18next.loadNamespaces('list');

const FilterSheet = lazyPart(() => import('./filter-sheet.tsx').then((module) => ({ default: module.FilterSheet })));
const ViewsDialog = lazyPart(() => import('./views-dialog.tsx').then((module) => ({ default: module.ViewsDialog })));

export interface FilterBarProps {
  /** Under which its saved views are kept: `views:<list>`. */
  readonly list: string;
  readonly fields: readonly FilterField[];
  readonly values: Readonly<Record<string, string>>;
  /** The filters that changed. */
  readonly onApply: (changed: Record<string, string>) => void;
  readonly onReset: () => void;
  readonly onRefresh?: () => void;
  readonly isRefreshing?: boolean;
  /** Further buttons, at the end. */
  readonly extra?: ReactNode;
}

export function FilterBar(props: FilterBarProps) {
  const { list, fields, values, onApply, onReset, onRefresh, isRefreshing = false, extra } = props;
  const { t } = useTranslation('list');
  const isPhone = usePhone();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const [areViewsOpen, setViewsOpen] = useState(false);
  const { drafts, type, settle, forget } = useDrafts(values);
  const active = fields.filter((field) => (values[field.key] ?? '') !== (field.initial ?? ''));
  const commit = (key: string, value: string) => {
    settle({ [key]: value });
    if (value !== (values[key] ?? '')) onApply({ [key]: value });
  };
  const applyDrafts = () => {
    const entries = Object.entries(drafts).map(([key, value]) => [key, value.trim()] as const);
    const changed = Object.fromEntries(entries.filter(([key, value]) => value !== (values[key] ?? '')));
    settle(Object.fromEntries(entries));
    if (Object.keys(changed).length > 0) onApply(changed);
    else onRefresh?.();
  };
  const reset = () => {
    settle(Object.fromEntries(fields.map(({ key, initial = '' }) => [key, initial])));
    onReset();
  };
  const openViews = () => {
    // A view that is chosen says what every filter is, also where something was typed before.
    forget();
    setViewsOpen(true);
  };
  const hasText = fields.some(({ kind }) => kind === 'text' || kind === 'number');
  const refresh = onRefresh && (
    <ActionIcon
      variant="default"
      size={36}
      aria-label={t('filter.refresh')}
      title={t('filter.refresh')}
      onClick={onRefresh}
      data-refresh
    >
      <IconRefresh size={16} stroke={1.75} className={isRefreshing ? classes.turning : undefined} />
    </ActionIcon>
  );
  const input = (field: FilterField, hasLabel: boolean) => (
    <FilterInput
      field={field}
      value={drafts[field.key] ?? ''}
      hasLabel={hasLabel}
      onDraft={(value) => type(field.key, value)}
      onCommit={(value) => commit(field.key, value)}
    />
  );
  return (
    <search className={classes.bar} aria-label={t('filter.region')}>
      <div className={classes.row}>
        {isPhone ? (
          <Button
            variant="default"
            leftSection={<IconFilter size={16} stroke={1.75} />}
            onClick={() => setSheetOpen(true)}
            aria-haspopup="dialog"
          >
            {active.length > 0 ? t('filter.openCount', { count: active.length }) : t('filter.open')}
          </Button>
        ) : (
          <>
            {fields.map((field) => (
              <div key={field.key} className={classes.field} style={{ width: widthOf(field) }}>
                {input(field, false)}
              </div>
            ))}
            {hasText && (
              <Button variant="light" onClick={applyDrafts}>
                {t('filter.query')}
              </Button>
            )}
            {active.length > 0 && (
              <Button variant="subtle" color="gray" onClick={reset}>
                {t('filter.reset')}
              </Button>
            )}
          </>
        )}
        <div className={classes.end}>
          {extra}
          <ActionIcon
            variant="default"
            size={36}
            aria-label={t('views.open')}
            title={t('views.open')}
            aria-haspopup="dialog"
            onClick={openViews}
          >
            <IconBookmark size={16} stroke={1.75} />
          </ActionIcon>
          {refresh}
        </div>
      </div>
      {isPhone && <Chips fields={active} values={values} onRemove={onApply} />}
      <Suspense fallback={null}>
        {isSheetOpen && isPhone && (
          <FilterSheet
            onClose={() => setSheetOpen(false)}
            onReset={reset}
            onQuery={() => {
              applyDrafts();
              setSheetOpen(false);
            }}
          >
            {fields.map((field) => (
              <div key={field.key}>{input(field, true)}</div>
            ))}
          </FilterSheet>
        )}
        {areViewsOpen && <ViewsDialog list={list} filters={Object.keys(values)} onClose={() => setViewsOpen(false)} />}
      </Suspense>
    </search>
  );
}

function widthOf({ width, kind }: FilterField): number | undefined {
  return width ?? (kind === 'switch' ? undefined : kind === 'range' ? 220 : 180);
}

/**
 * Texts of the inputs. What the address says of a filter wins when that changes, but not over what was typed since: an
 * address of before may come late, and must not take letters away.
 */
function useDrafts(values: Readonly<Record<string, string>>) {
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>(values);
  const told = useRef(values);
  const typed = useRef(new Set<string>());
  useEffect(() => {
    const before = told.current;
    told.current = values;
    const changed = Object.entries(values).filter(([key, value]) => value !== before[key] && !typed.current.has(key));
    if (changed.length > 0) setDrafts((texts) => ({ ...texts, ...Object.fromEntries(changed) }));
  }, [values]);
  const type = (key: string, text: string) => {
    typed.current.add(key);
    setDrafts((texts) => ({ ...texts, [key]: text }));
  };
  const settle = (texts: Readonly<Record<string, string>>) => {
    for (const key of Object.keys(texts)) typed.current.delete(key);
    setDrafts((before) => ({ ...before, ...texts }));
  };
  const forget = () => typed.current.clear();
  return { drafts, type, settle, forget };
}

function Chips({
  fields,
  values,
  onRemove,
}: {
  readonly fields: readonly FilterField[];
  readonly values: Readonly<Record<string, string>>;
  readonly onRemove: (changed: Record<string, string>) => void;
}) {
  const { t } = useTranslation('list');
  const rangeLabel = useRangeLabel();
  const labels = useMemo(() => {
    const shown = (field: FilterField): string => {
      const value = values[field.key] ?? '';
      if (field.kind === 'range') return rangeLabel(value);
      if (field.kind === 'switch') return value === 'true' ? t('filter.yes') : t('filter.no');
      const nameOf = (one: string) => field.options?.find((option) => option.value === one)?.label ?? one;
      return field.kind === 'multi' ? value.split(',').map(nameOf).join(', ') : nameOf(value);
    };
    return fields.map((field) => ({ field, text: shown(field) }));
  }, [fields, values, rangeLabel, t]);
  if (labels.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label={t('filter.active')}>
      {labels.map(({ field, text }) => (
        <li key={field.key} className={classes.chip}>
          <span className={classes.chipText}>
            {field.label}: {text}
          </span>
          <button
            type="button"
            aria-label={t('filter.remove', { label: field.label })}
            onClick={() => onRemove({ [field.key]: field.initial ?? '' })}
          >
            <IconX size={14} stroke={1.75} />
          </button>
        </li>
      ))}
    </ul>
  );
}
