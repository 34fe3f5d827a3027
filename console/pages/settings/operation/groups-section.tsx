/** Groups: ratio, description and whether users may choose them, as a table or as the JSON that is stored. */
import { Button, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/Input.css';
import { groups as groupEndpoints } from '../../../../daemon/contract/groups.ts';
import { callsFor } from '../../../api/client.ts';
import { OptionField } from '../option-field.tsx';
import { SaveSection } from '../save-section.tsx';
import type { SectionBodyProps } from '../section-part.ts';
import { useOption } from '../settings-context.tsx';
import { carriers, GroupLine } from './group-line.tsx';
import { type GroupRow, groupRowsOf, ratiosText, usableText } from './group-rows.ts';
import { type EditMode, ModeSwitch } from './mode-switch.tsx';
import classes from './operation.module.css';
import { useRowPages } from './row-pages.tsx';

const groups = callsFor({ list: groupEndpoints.list });

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
  const rows = ratios && usable && groupRowsOf(ratios.text, usable.text);
  const latest = useRef({ rows, ratios, usable });
  latest.current = { rows, ratios, usable };
  // A text that the change does not touch stays as it was laid out, its groups in their order.
  const put = useCallback((change: (rows: readonly GroupRow[]) => readonly GroupRow[]) => {
    const { rows: before, ratios: ratio, usable: use } = latest.current;
    if (!before) return;
    const next = change(before);
    if (ratiosText(next) !== ratiosText(before)) ratio?.set(ratiosText(next));
    if (usableText(next) !== usableText(before)) use?.set(usableText(next));
  }, []);
  const edit = useCallback(
    (name: string, change: Partial<GroupRow>) =>
      put((before) => before.map((row) => (row.name === name ? { ...row, ...change } : row))),
    [put],
  );
  const remove = useCallback((name: string) => put((before) => before.filter((row) => row.name !== name)), [put]);
  const checkRatios = useCallback(() => latest.current.ratios?.check(), []);
  const checkUsable = useCallback(() => latest.current.usable?.check(), []);
  const pages = useRowPages(rows?.map(({ name }) => name) ?? []);
  if (!ratios || !usable) return null;
  if (!rows) return <p className={classes.problem}>{t('mode.broken')}</p>;
  const name = added.trim();
  const isTaken = rows.some((row) => row.name === name);
  const add = () => {
    if (name === '' || isTaken) return;
    put((before) => [...before, { name, ratio: '1', description: undefined }]);
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
            {rows.slice(...pages.shown).map((row) => (
              <GroupLine
                key={row.name}
                {...row}
                counts={counts && (Object.hasOwn(counts, row.name) ? counts[row.name] : 'none')}
                onEdit={edit}
                onRemove={remove}
                onRatioEnd={checkRatios}
                onDescriptionEnd={checkUsable}
              />
            ))}
          </tbody>
        </table>
      </div>
      {pages.pager}
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
