/** Groups: ratio, description and whether users may choose them, as a table or as the JSON that is stored. */
import { ActionIcon, Button, Checkbox, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/Input.css';
import { groups as groupEndpoints } from '../../../../daemon/contract/groups.ts';
import { callsFor } from '../../../api/client.ts';
import { formatInteger } from '../../../components/format.ts';
import { GroupTag } from '../../../components/tag.tsx';
import { OptionField } from '../option-field.tsx';
import { SaveSection } from '../save-section.tsx';
import type { SectionBodyProps } from '../section-part.ts';
import { useOption } from '../settings-context.tsx';
import { type GroupRow, groupRowsOf, ratiosText, settledRatio, usableText } from './group-rows.ts';
import { type EditMode, ModeSwitch } from './mode-switch.tsx';
import classes from './operation.module.css';

const groups = callsFor({ list: groupEndpoints.list });

/** What carries a group, in the order of the columns. */
const carriers = ['users', 'channels', 'tokens'] as const;

const inTable: readonly string[] = ['GroupRatio', 'UserUsableGroups'];

export function GroupsSection({ section, sought }: SectionBodyProps) {
  const { t } = useTranslation('settings');
  const [mode, setMode] = useState<EditMode>('table');
  const asTable = section.fields.filter(({ key }) => inTable.includes(key));
  const others = section.fields.filter(({ key }) => !inTable.includes(key));
  const fields = (list: typeof others) => (
    <div className={classes.fields}>
      {list.map((field) => (
        <OptionField key={field.key} field={field} isSought={field.key === sought} />
      ))}
    </div>
  );
  return (
    <>
      <ModeSwitch label={t('mode.label')} mode={mode} onChange={setMode} />
      {mode === 'table' ? <GroupsTable /> : fields(asTable)}
      {fields(others)}
      <SaveSection section={section} />
    </>
  );
}

/** How many carry each group; undefined until it is known, and where it cannot be learnt. */
function useGroupCounts() {
  const { data } = useQuery({
    queryKey: ['groups', 'counts'],
    queryFn: async ({ signal }) => (await groups.list({ with_counts: true }, { signal })).counts,
  });
  return data;
}

function GroupsTable() {
  const { t } = useTranslation(['settings', 'frame']);
  const ratios = useOption('GroupRatio');
  const usable = useOption('UserUsableGroups');
  const counts = useGroupCounts();
  const [added, setAdded] = useState('');
  if (!ratios || !usable) return null;
  const rows = groupRowsOf(ratios.text, usable.text);
  if (!rows) return <p className={classes.problem}>{t('mode.broken')}</p>;
  // A text that the change does not touch stays as it was laid out, its groups in their order.
  const put = (next: readonly GroupRow[]) => {
    if (ratiosText(next) !== ratiosText(rows)) ratios.set(ratiosText(next));
    if (usableText(next) !== usableText(rows)) usable.set(usableText(next));
  };
  const edit = (name: string, change: Partial<GroupRow>) =>
    put(rows.map((row) => (row.name === name ? { ...row, ...change } : row)));
  const name = added.trim();
  const isTaken = rows.some((row) => row.name === name);
  const add = () => {
    if (name === '' || isTaken) return;
    put([...rows, { name, ratio: '1', description: undefined }]);
    setAdded('');
  };
  return (
    <>
      <div className={classes.table}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('groups.name')}</th>
              <th scope="col">{t('groups.ratio')}</th>
              <th scope="col">{t('groups.usable')}</th>
              <th scope="col">{t('groups.description')}</th>
              {carriers.map((kind) => (
                <th key={kind} scope="col" className={classes.number}>
                  {t(`groups.${kind}`)}
                </th>
              ))}
              <th scope="col">{t('groups.acts')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <td>
                  <GroupTag name={row.name} />
                </td>
                <td>
                  <TextInput
                    className={classes.narrow ?? ''}
                    aria-label={t('groups.ratioOf', { name: row.name })}
                    inputMode="decimal"
                    value={row.ratio ?? ''}
                    onChange={(event) => edit(row.name, { ratio: event.currentTarget.value })}
                    onBlur={() => {
                      const settled = row.ratio === undefined ? undefined : settledRatio(row.ratio);
                      if (settled !== row.ratio) edit(row.name, { ratio: settled });
                      ratios.check();
                    }}
                  />
                </td>
                <td>
                  <Checkbox
                    aria-label={t('groups.usableOf', { name: row.name })}
                    checked={row.description !== undefined}
                    onChange={(event) => edit(row.name, { description: event.currentTarget.checked ? '' : undefined })}
                  />
                </td>
                <td>
                  <TextInput
                    aria-label={t('groups.descriptionOf', { name: row.name })}
                    value={row.description ?? ''}
                    disabled={row.description === undefined}
                    onChange={(event) => edit(row.name, { description: event.currentTarget.value })}
                    onBlur={usable.check}
                  />
                </td>
                {carriers.map((kind) => (
                  <td key={kind} className={classes.number}>
                    {counts === undefined
                      ? '—'
                      : formatInteger(Object.hasOwn(counts, row.name) ? (counts[row.name]?.[kind] ?? 0) : 0)}
                  </td>
                ))}
                <td>
                  <ActionIcon
                    aria-label={t('groups.remove', { name: row.name })}
                    onClick={() => put(rows.filter((other) => other.name !== row.name))}
                  >
                    <IconTrash size={16} stroke={1.75} />
                  </ActionIcon>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {[ratios.complaint, usable.complaint].map(
        (complaint) =>
          complaint !== undefined && (
            <p key={complaint} className={classes.problem}>
              {complaint}
            </p>
          ),
      )}
      <div className={classes.acts}>
        <TextInput
          aria-label={t('groups.added')}
          placeholder={t('groups.added')}
          value={added}
          onChange={(event) => setAdded(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) add();
          }}
          {...(name !== '' && isTaken ? { error: t('groups.taken') } : {})}
        />
        <Button
          variant="default"
          leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
          disabled={name === '' || isTaken}
          onClick={add}
        >
          {t('frame:action.add')}
        </Button>
      </div>
    </>
  );
}
