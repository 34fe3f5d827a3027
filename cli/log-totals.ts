/** The sums that end a file of log rows, and how they are said. */
import { type Bilingual, both } from './language.ts';

/** Whether a line holds the sums of the rows before it. */
export function isTotals(line: string): boolean {
  return /^total,|^\{"total":/.test(line);
}

/** What a file comes to. Empty for a line that has no sums. @param heading the first line of a csv file */
export function totalsText(line: string, heading: string): Bilingual {
  const { rows, quota, prompt_tokens, completion_tokens, cost } = line.startsWith('{')
    ? Object(JSON.parse(line).total)
    : cellsOf(line, heading);
  const spent =
    cost === undefined ? both('', '') : both(', cost {cost} {cost:unit|units}', '，成本 {cost} 单位', { cost });
  return both(
    '{rows} {rows:row|rows}: {quota} {quota:unit|units} charged{en}; {prompt} prompt and {completion} completion tokens',
    '共 {rows} 行：扣费 {quota} 单位{zh}；输入 {prompt} token，输出 {completion} token',
    { rows, quota, prompt: prompt_tokens, completion: completion_tokens, en: spent.en, zh: spent.zh },
  );
}

/** The sums of a csv file by their columns; how many rows there are stands where the others have their content. */
function cellsOf(line: string, heading: string): Readonly<Record<string, number>> {
  const cells = line.split(',');
  const named = Object.fromEntries(
    heading.split(',').map((column, at) => [column, Number.parseInt(cells[at] ?? '', 10)]),
  );
  return { ...named, rows: named.content ?? 0 };
}
