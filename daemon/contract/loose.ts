/** Input members that clients write loosely: numbers as text, empty pickers, many spellings of true. */
import * as z from 'zod/mini';

/** A number or its text, as a number; anything else that is not a finite number fails. */
const numberLike = z.pipe(
  z.union([z.number(), z.string()]),
  z.transform((value) => (typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value))),
);

/** A whole number or its text. */
export const wholeNumber = z.pipe(numberLike, z.int());

/** Most that a column of ids holds. */
const largestId = 2_147_483_647;

/** The id of a row. What no column holds stands for the last id of all: such a row is not found, like any that is missing. */
export const rowId = z.int().check(
  z.minimum(1),
  z.overwrite((id) => Math.min(id, largestId)),
);

/** The id of a row or its text, for bodies. */
export const looseRowId = z.pipe(numberLike, rowId);

/**
 * A whole number of a query; what is absent, empty or not finite means no value (management-api.md 3.14), what is too
 * large to be exact is refused (1.1).
 */
export const optionalWholeNumber = z
  .pipe(
    z.optional(z.nullable(z.union([z.number(), z.string()]))),
    z.transform((value) => {
      const number = value === null || value === undefined || value === '' ? Number.NaN : Math.trunc(Number(value));
      return Number.isFinite(number) ? number : undefined;
    }),
  )
  .check(z.refine((value) => value === undefined || Number.isSafeInteger(value)));

/** As `optionalWholeNumber`, cut to what an integer column holds: beyond that no row matches anyway. */
export const optionalColumnNumber = z.pipe(
  optionalWholeNumber,
  z.transform((value) => (value === undefined ? undefined : Math.max(-2_147_483_648, Math.min(2_147_483_647, value)))),
);

/** A filter text; absent and empty mean no filter. */
export const filterText = z.pipe(
  z.optional(z.nullable(z.union([z.string(), z.number()]))),
  z.transform((value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return text === '' ? undefined : text;
  }),
);

const looseFlag = z.optional(z.nullable(z.union([z.boolean(), z.string(), z.number()])));
/** Spellings of true in a query (management-api.md 1.1 rule 7); everything else is false. */
export const trueSpellings = ['true', 'True', 'TRUE', 't', 'T', '1'];

/** Ids as one comma list of a query; absent and empty mean no filter. */
export const optionalIdText = z.pipe(
  filterText,
  z.optional(z.string().check(z.maxLength(8000), z.regex(/^[1-9]\d{0,8}(?:,[1-9]\d{0,8})*$/))),
);

/** A query switch. */
export const querySwitch = z.pipe(
  looseFlag,
  z.transform((value) => trueSpellings.includes(String(value))),
);

/** A filter of a query that is on, off, or, when absent or empty, no filter; spelt as for `querySwitch`. */
export const optionalSwitch = z.pipe(
  looseFlag,
  z.transform((value) =>
    value === null || value === undefined || value === '' ? undefined : trueSpellings.includes(String(value)),
  ),
);

/** Ids of a batch call. */
export const idList = z.array(rowId).check(z.maxLength(10_000));
