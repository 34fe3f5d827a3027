/** Changes of prices as rows: what was, what is, and by how much. */
import type { View } from '../output/columns.ts';

export interface ChangeRow {
  model_name: string;
  member: string;
  old: number | null;
  new: number | null;
}

export const changeView: View<ChangeRow> = {
  columns: [
    { heading: 'MODEL', value: (row) => row.model_name, priority: 1 },
    { heading: 'FIELD', value: (row) => row.member, priority: 1 },
    { heading: 'OLD', value: (row) => row.old, align: 'right', priority: 2 },
    { heading: 'NEW', value: (row) => row.new, align: 'right', priority: 1 },
    { heading: '%', value: percentOf, align: 'right', priority: 3 },
  ],
  fields: ['model_name', 'member', 'old', 'new'],
  id: (row) => row.model_name,
};

function percentOf(row: ChangeRow): string {
  if (row.old === null || row.new === null || row.old === 0) return '';
  const percent = (row.new / row.old - 1) * 100;
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`;
}
