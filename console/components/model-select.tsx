/** Chooses models (console.md 7.6): search, groups by vendor, whole lists pasted, names that nobody serves marked. */
import { Combobox, Pill, PillsInput, useVirtualizedCombobox } from '@mantine/core';
import { useId, useUncontrolled } from '@mantine/hooks';
import { type ClipboardEvent, type KeyboardEvent, type MouseEvent, type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { isComposing } from './composition.ts';
import { ModelList } from './model-list.tsx';
import { type ModelOption, modelRows, namesIn } from './model-options.ts';
import classes from './model-select.module.css';

export interface ModelSelectProps {
  readonly label: string;
  /** In a form, `{...form.getInputProps('models')}` instead. */
  readonly value?: readonly string[];
  readonly defaultValue?: readonly string[];
  readonly onChange?: (value: string[]) => void;
  readonly options: readonly (string | ModelOption)[];
  /** One at most. */
  readonly isSingle?: boolean;
  /** Names outside the options may not be entered. */
  readonly isClosed?: boolean;
  readonly placeholder?: string;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly onFocus?: () => void;
  readonly onBlur?: () => void;
  readonly 'data-path'?: string;
}

/** More chips than these are counted only, until they are asked for: so many at a time, since thousands hold the page. */
const fewChips = 40;
const moreChips = 200;
const none: readonly string[] = [];
/** Of a button for the models that were searched: a press would end the search, before it is released. */
const besideSearch = { onMouseDown: (event: MouseEvent) => event.preventDefault() };

export function ModelSelect(props: ModelSelectProps) {
  const { label, isSingle = false, isClosed = false, disabled = false, placeholder } = props;
  const { t } = useTranslation(['components', 'frame']);
  const id = useId();
  const [value, setValue] = useUncontrolled<readonly string[]>({
    ...(props.value === undefined ? {} : { value: props.value }),
    ...(props.defaultValue === undefined ? {} : { defaultValue: props.defaultValue }),
    finalValue: none,
    onChange: (next) => props.onChange?.([...next]),
  });
  const [query, setQuery] = useState('');
  const [focusedIndex, setFocusedIndex] = useState(-1);
  const [chipsShown, setChipsShown] = useState(fewChips);
  // Taken when the list opens: rows that moved at every choice would slip away under the pointer.
  const [first, setFirst] = useState<ReadonlySet<string>>(new Set());

  const options = useMemo(
    () => props.options.map((option) => (typeof option === 'string' ? { value: option } : option)),
    [props.options],
  );
  const known = useMemo(() => new Set(options.map((option) => option.value)), [options]);
  const chosen = useMemo(() => new Set(value), [value]);
  const entered = query.trim();
  const isNew = entered !== '' && !isClosed && !known.has(entered);
  const strangers = useMemo(() => value.filter((name) => !known.has(name)), [known, value]);
  const rows = useMemo(
    () => modelRows([...options, ...strangers.map((name) => ({ value: name }))], query, first),
    [options, strangers, query, first],
  );
  const matches = rows.flatMap((row) => (row.kind === 'option' ? [row.option.value] : []));
  const optionCount = matches.length + (isNew && !chosen.has(entered) ? 1 : 0);
  const optionId = (index: number) => `${id}-option-${index}`;

  const combobox = useVirtualizedCombobox({
    totalOptionsCount: optionCount,
    getOptionId: optionId,
    selectedOptionIndex: focusedIndex,
    setSelectedOptionIndex: setFocusedIndex,
    activeOptionIndex: 0,
    onSelectedOptionSubmit: (index) => choose(matches[index] ?? entered),
    onDropdownOpen: () => setFirst(new Set(value)),
    onDropdownClose: () => setFocusedIndex(-1),
  });

  const choose = (name: string) => {
    if (name === '') return;
    if (isSingle) {
      setValue([name]);
      combobox.closeDropdown();
    } else setValue(chosen.has(name) ? value.filter((other) => other !== name) : [...value, name]);
    if (isSingle || !known.has(name)) setQuery('');
  };
  const addAll = (names: readonly string[]) => setValue([...new Set([...value, ...names])]);
  const onPaste = (event: ClipboardEvent) => {
    const names = namesIn(event.clipboardData.getData('text/plain')).filter((name) => !isClosed || known.has(name));
    if (isSingle || names.length < 2) return;
    event.preventDefault();
    addAll(names);
    setQuery('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'Backspace' && query === '' && value.length > 0) setValue(value.slice(0, -1));
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && combobox.dropdownOpened && focusedIndex < 0) {
      // The form is not sent by what was meant for the list.
      event.preventDefault();
      const exact = matches.find((name) => name.toLowerCase() === entered.toLowerCase());
      if (exact ?? (isNew && entered)) choose(exact ?? entered);
      else if (entered !== '' && matches.length === 1) choose(matches[0] ?? '');
    }
  };
  const shown = value.slice(0, chipsShown);
  const addressed = query === '' ? options.map((option) => option.value) : matches;
  return (
    <div>
      <Combobox
        store={combobox}
        onOptionSubmit={choose}
        readOnly={disabled}
        position="bottom-start"
        middlewares={{ flip: true, shift: true }}
      >
        <Combobox.DropdownTarget>
          <PillsInput
            label={label}
            description={props.description}
            error={props.error}
            disabled={disabled}
            required={props.required === true}
            onClick={() => combobox.openDropdown()}
            rightSection={<Combobox.Chevron />}
            rightSectionPointerEvents="none"
          >
            <Pill.Group className={classes.chips ?? ''}>
              {shown.map((name) => (
                <Pill
                  key={name}
                  withRemoveButton={!disabled}
                  className={classes.chip ?? ''}
                  data-unknown={!known.has(name) || undefined}
                  title={known.has(name) ? name : t('model.unknownName', { name })}
                  removeButtonProps={{ 'aria-label': t('model.remove', { name }), tabIndex: 0 }}
                  onRemove={() => setValue(value.filter((other) => other !== name))}
                >
                  {name}
                </Pill>
              ))}
              {value.length > shown.length && (
                <button
                  type="button"
                  className={classes.more}
                  onClick={(event) => {
                    event.stopPropagation();
                    setChipsShown(chipsShown + moreChips);
                  }}
                >
                  +{value.length - shown.length}
                </button>
              )}
              <Combobox.EventsTarget withExpandedAttribute>
                <PillsInput.Field
                  className={classes.search ?? ''}
                  value={query}
                  placeholder={value.length === 0 ? (placeholder ?? t('model.placeholder')) : ''}
                  data-path={props['data-path']}
                  disabled={disabled}
                  onFocus={() => props.onFocus?.()}
                  onBlur={() => {
                    combobox.closeDropdown();
                    setQuery('');
                    props.onBlur?.();
                  }}
                  onChange={(event) => {
                    setQuery(event.currentTarget.value);
                    setFocusedIndex(-1);
                    combobox.openDropdown();
                  }}
                  onPaste={onPaste}
                  onKeyDown={onKeyDown}
                />
              </Combobox.EventsTarget>
            </Pill.Group>
          </PillsInput>
        </Combobox.DropdownTarget>
        {!isSingle && !disabled && (
          <div className={classes.line}>
            <span className={classes.count} aria-live="polite">
              {t('model.count', { chosen: value.length, total: known.size + strangers.length })}
            </span>
            <button type="button" className={classes.act} {...besideSearch} onClick={() => addAll(addressed)}>
              {t('frame:action.selectAll')}
            </button>
            <button type="button" className={classes.act} onClick={() => setValue([])}>
              {t('frame:action.clear')}
            </button>
            <button
              type="button"
              className={classes.act}
              {...besideSearch}
              onClick={() => setValue(addressed.filter((name) => !chosen.has(name)))}
            >
              {t('model.invert')}
            </button>
          </div>
        )}
        <Combobox.Dropdown className={classes.dropdown ?? ''}>
          <ModelList
            rows={rows}
            query={query}
            chosen={chosen}
            known={known}
            optionId={optionId}
            focusedIndex={focusedIndex}
            onFocusIndex={setFocusedIndex}
            entered={isNew && !chosen.has(entered) ? entered : undefined}
            label={label}
          />
        </Combobox.Dropdown>
      </Combobox>
    </div>
  );
}
