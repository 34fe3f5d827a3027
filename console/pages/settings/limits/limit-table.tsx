/** Rows of named figures, typed in place. */
import { ActionIcon, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Input.css';
import classes from '../operation/operation.module.css';
import { useRowPages } from '../operation/row-pages.tsx';

export interface LimitLine {
  readonly key: string;
  /** What is limited. */
  readonly name: string;
  readonly title: ReactNode;
  readonly figures: readonly string[];
}

interface LimitTableProps {
  readonly head: string;
  /** Titles of the figures. */
  readonly columns: readonly string[];
  readonly lines: readonly LimitLine[];
  readonly onFigure: (at: number, figure: number, text: string) => void;
  readonly onRemove: (at: number) => void;
  readonly onLeave: () => void;
}

export function LimitTable({ head, columns, lines, onFigure, onRemove, onLeave }: LimitTableProps) {
  const { t } = useTranslation('settings');
  const { shown, pager } = useRowPages(lines.map(({ key }) => key));
  if (lines.length === 0) return <p className={classes.line}>{t('limits.none')}</p>;
  return (
    <>
      <div className={classes.table}>
        <table>
          <thead>
            <tr>
              {[head, ...columns, t('groups.acts')].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.slice(...shown).map((line, place) => (
              <tr key={line.key}>
                <td>{line.title}</td>
                {columns.map((column, figure) => (
                  <td key={column}>
                    <TextInput
                      className={classes.narrow ?? ''}
                      aria-label={`${line.name}: ${column}`}
                      inputMode="numeric"
                      value={line.figures[figure] ?? ''}
                      onChange={(event) => onFigure(shown[0] + place, figure, event.currentTarget.value)}
                      onBlur={onLeave}
                    />
                  </td>
                ))}
                <td>
                  <ActionIcon
                    aria-label={t('groups.remove', { name: line.name })}
                    onClick={() => onRemove(shown[0] + place)}
                  >
                    <IconTrash size={16} stroke={1.75} />
                  </ActionIcon>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pager}
    </>
  );
}
