/** Search texts as patterns of LIKE: `%`, `_` and the escape sign are letters like any other (S7). */
import type { Knex } from 'knex';
import type { Engine } from './dialect.ts';

/** Search texts are cut here. */
const MAX_LENGTH = 100;

/** The text with its wildcards disarmed; `\` is the escape sign. */
export function escapeLike(text: string): string {
  return text.slice(0, MAX_LENGTH).replace(/[\\%_]/g, (sign) => `\\${sign}`);
}

/** Matches anywhere in the field; a text of one character only at its start, because it would match nearly all. */
export function containsPattern(text: string): string {
  const escaped = escapeLike(text);
  return [...text].length < 2 ? `${escaped}%` : `%${escaped}%`;
}

/** Matches at the start of the field. */
export function prefixPattern(text: string): string {
  return `${escapeLike(text)}%`;
}

/** Adds `column LIKE pattern`, ignoring the case of ASCII letters on both engines. */
export function whereLike(
  query: Knex.QueryBuilder,
  engine: Engine,
  match: { column: string; pattern: string },
): Knex.QueryBuilder {
  return query.whereRaw(likeSql(engine), [match.column, match.pattern]);
}

/** As `whereLike`, as an alternative to the conditions before it. */
export function orWhereLike(
  query: Knex.QueryBuilder,
  engine: Engine,
  match: { column: string; pattern: string },
): Knex.QueryBuilder {
  return query.orWhereRaw(likeSql(engine), [match.column, match.pattern]);
}

/** Adds that a column is the number which the text is, as an alternative; larger ones than nine digits are no ids. */
export function orWhereId(query: Knex.QueryBuilder, text: string, column = 'id'): Knex.QueryBuilder {
  return /^\d{1,9}$/.test(text) ? query.orWhere(column, Number(text)) : query;
}

function likeSql(engine: Engine): string {
  return engine === 'postgres' ? "?? ILIKE ? ESCAPE '\\'" : "?? LIKE ? ESCAPE '\\'";
}

/** Adds that a comma list has this very member; a name that only contains it does not count. */
export function whereMember(
  query: Knex.QueryBuilder,
  engine: Engine,
  list: { column: string; member: string },
): Knex.QueryBuilder {
  const position = engine === 'postgres' ? 'strpos' : 'instr';
  return query.whereRaw(`${position}(',' || ?? || ',', ?) > 0`, [list.column, `,${list.member},`]);
}
