/** The two limit maps as tables; each of them may be edited as JSON instead. */
import { Button, Select, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { GroupTag, Tag } from '../../../components/tag.tsx';
import { type EditMode, ModeSwitch } from '../operation/mode-switch.tsx';
import classes from '../operation/operation.module.css';
import { OptionField } from '../option-field.tsx';
import { useOptionTexts } from '../option-texts.ts';
import { SaveSection } from '../save-section.tsx';
import type { FieldEntry } from '../section-entry.ts';
import type { SectionBodyProps } from '../section-part.ts';
import { type OptionHandle, useOption, useOptionText } from '../settings-context.tsx';
import {
  groupLimitsOf,
  groupLimitsText,
  groupsIn,
  type LimitKind,
  limitKinds,
  rateLimitsOf,
  rateLimitsText,
} from './limit-rows.ts';
import { LimitTable } from './limit-table.tsx';

export function LimitsSection({ section, sought }: SectionBodyProps) {
  return (
    <>
      {section.fields.map((field) => {
        const plain = <OptionField key={field.key} field={field} isSought={field.key === sought} />;
        if (field.key === 'ModelRequestRateLimitGroup')
          return <AsTable key={field.key} field={field} json={plain} table={GroupLimits} />;
        if (field.key === 'RateLimits')
          return <AsTable key={field.key} field={field} json={plain} table={RateLimits} />;
        return (
          <div key={field.key} className={classes.fields}>
            {plain}
          </div>
        );
      })}
      <SaveSection section={section} />
    </>
  );
}

interface AsTableProps {
  readonly field: FieldEntry;
  readonly json: ReactNode;
  readonly table: (props: { option: OptionHandle }) => ReactNode;
}

function AsTable({ field, json, table: Table }: AsTableProps) {
  const { t } = useTranslation('settings');
  const [mode, setMode] = useState<EditMode>('table');
  const { label, help } = useOptionTexts(field);
  const option = useOption(field.key);
  if (!option) return null;
  return (
    <div className={classes.part}>
      <ModeSwitch label={`${label}: ${t('mode.label')}`} mode={mode} onChange={setMode} />
      {mode === 'json' ? (
        <div className={classes.fields}>{json}</div>
      ) : (
        <>
          <h3 className={classes.heading}>{label}</h3>
          <p className={classes.line}>{help}</p>
          <Table option={option} />
          {option.complaint !== undefined && <p className={classes.problem}>{option.complaint}</p>}
        </>
      )}
    </div>
  );
}

/** The field that names a new row, with its button. */
function AddRow({ label, onAdd, isTaken, before, offered = [] }: AddRowProps) {
  const { t } = useTranslation(['settings', 'frame']);
  const names = useId();
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const isWrong = name !== '' && isTaken(name);
  const add = () => {
    if (name === '' || isWrong) return;
    onAdd(name);
    setTyped('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) add();
  };
  return (
    <div className={classes.acts}>
      {before}
      <TextInput
        aria-label={label}
        placeholder={label}
        miw={240}
        list={names}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        {...(isWrong ? { error: t('limits.taken') } : {})}
      />
      {/* The browser's own list: the kit's would weigh on every visit of the settings. */}
      <datalist id={names}>
        {offered
          .filter((each) => !isTaken(each))
          .map((each) => (
            <option key={each} value={each} />
          ))}
      </datalist>
      <Button
        variant="default"
        leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
        disabled={name === '' || isWrong}
        onClick={add}
      >
        {t('frame:action.add')}
      </Button>
    </div>
  );
}

interface AddRowProps {
  readonly label: string;
  readonly onAdd: (name: string) => void;
  readonly isTaken: (name: string) => boolean;
  readonly before?: ReactNode;
  /** Names to choose from; others can be typed. */
  readonly offered?: readonly string[];
}

/** The groups of the settings as they stand on the screen, with `auto` where keys can be of it. */
function useGroupNames(): readonly string[] {
  return groupsIn(useOptionText('GroupRatio'), useOptionText('AutoGroups'));
}

function GroupLimits({ option }: { option: OptionHandle }) {
  const { t } = useTranslation('settings');
  const offered = useGroupNames();
  const rows = groupLimitsOf(option.text);
  if (!rows) return <p className={classes.problem}>{t('mode.broken')}</p>;
  const figures = ['all', 'successes'] as const;
  return (
    <>
      <LimitTable
        head={t('groups.name')}
        columns={figures.map((figure) => t(`limits.${figure}`))}
        lines={rows.map(({ group, all, successes }) => ({
          key: group,
          name: group,
          title: <GroupTag name={group} />,
          figures: [all, successes],
        }))}
        onFigure={(at, figure, text) => {
          const member = figures[figure] ?? 'all';
          option.set(groupLimitsText(rows.map((row, place) => (place === at ? { ...row, [member]: text } : row))));
        }}
        onRemove={(at) => option.set(groupLimitsText(rows.filter((_, place) => place !== at)))}
        onLeave={option.check}
      />
      <AddRow
        label={t('limits.group')}
        offered={offered}
        isTaken={(name) => rows.some(({ group }) => group === name)}
        onAdd={(group) => option.set(groupLimitsText([...rows, { group, all: '0', successes: '1000' }]))}
      />
    </>
  );
}

function RateLimits({ option }: { option: OptionHandle }) {
  const { t } = useTranslation('settings');
  const [kind, setKind] = useState<LimitKind>('user');
  const groups = useGroupNames();
  const rows = rateLimitsOf(option.text);
  if (!rows) return <p className={classes.problem}>{t('mode.broken')}</p>;
  const figures = ['rpm', 'tpm', 'concurrency'] as const;
  return (
    <>
      <LimitTable
        head={t('limits.subject')}
        columns={figures.map((figure) => t(`limits.${figure}`))}
        lines={rows.map((row) => ({
          key: `${row.kind}:${row.name}`,
          name: `${t(`limits.kind.${row.kind}`)} ${row.name}`,
          title: (
            <span className={classes.subject}>
              <Tag>{t(`limits.kind.${row.kind}`)}</Tag>
              <code>{row.name === '*' ? t('limits.each') : row.name}</code>
            </span>
          ),
          figures: figures.map((figure) => row[figure]),
        }))}
        onFigure={(at, figure, text) => {
          const member = figures[figure] ?? 'rpm';
          option.set(rateLimitsText(rows.map((row, place) => (place === at ? { ...row, [member]: text } : row))));
        }}
        onRemove={(at) => option.set(rateLimitsText(rows.filter((_, place) => place !== at)))}
        onLeave={option.check}
      />
      <AddRow
        label={t('limits.name')}
        {...(kind === 'group' ? { offered: groups } : {})}
        isTaken={(name) =>
          rows.some((row) => row.kind === kind && row.name === name) || (kind === 'token' && name !== '*')
        }
        onAdd={(name) => option.set(rateLimitsText([...rows, { kind, name, rpm: '', tpm: '', concurrency: '' }]))}
        before={
          <Select
            aria-label={t('limits.of')}
            value={kind}
            data={limitKinds.map((value) => ({ value, label: t(`limits.kind.${value}`) }))}
            onChange={(value) => setKind(limitKinds.find((known) => known === value) ?? 'user')}
          />
        }
      />
    </>
  );
}
