/** A group in the table of them. */
import { ActionIcon, Checkbox, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatInteger } from '../../../components/format.ts';
import { GroupTag } from '../../../components/tag.tsx';
import { type GroupRow, settledRatio } from './group-rows.ts';
import classes from './operation.module.css';

/** What carries a group, in the order of the columns. */
export const carriers = ['users', 'channels', 'tokens'] as const;

export interface GroupLineProps extends GroupRow {
  /** How many carry it; undefined while that is not known. */
  readonly counts: Readonly<Record<(typeof carriers)[number], number>> | 'none' | undefined;
  readonly onEdit: (name: string, change: Partial<GroupRow>) => void;
  readonly onRemove: (name: string) => void;
  /** Its ratio, its description was left. */
  readonly onRatioEnd: () => void;
  readonly onDescriptionEnd: () => void;
}

/** Drawn anew only when it changed: with each key that is pressed, all of some hundred others would be. */
export const GroupLine = memo(function GroupLine(props: GroupLineProps) {
  const { name, ratio, description, counts, onEdit, onRemove, onRatioEnd, onDescriptionEnd } = props;
  const { t } = useTranslation('settings');
  return (
    <tr>
      <td>
        <GroupTag name={name} />
      </td>
      <td>
        <TextInput
          className={classes.narrow ?? ''}
          aria-label={t('groups.ratioOf', { name })}
          inputMode="decimal"
          value={ratio ?? ''}
          onChange={(event) => onEdit(name, { ratio: event.currentTarget.value })}
          onBlur={() => {
            const settled = ratio === undefined ? undefined : settledRatio(ratio);
            if (settled !== ratio) onEdit(name, { ratio: settled });
            onRatioEnd();
          }}
        />
      </td>
      <td>
        <Checkbox
          aria-label={t('groups.usableOf', { name })}
          checked={description !== undefined}
          onChange={(event) => onEdit(name, { description: event.currentTarget.checked ? '' : undefined })}
        />
      </td>
      <td>
        <TextInput
          aria-label={t('groups.descriptionOf', { name })}
          value={description ?? ''}
          disabled={description === undefined}
          onChange={(event) => onEdit(name, { description: event.currentTarget.value })}
          onBlur={onDescriptionEnd}
        />
      </td>
      {carriers.map((kind) => (
        <td key={kind} className={classes.number}>
          {counts === undefined ? '—' : formatInteger(counts === 'none' ? 0 : counts[kind])}
        </td>
      ))}
      <td>
        <ActionIcon aria-label={t('groups.remove', { name })} onClick={() => onRemove(name)}>
          <IconTrash size={16} stroke={1.75} />
        </ActionIcon>
      </td>
    </tr>
  );
});
