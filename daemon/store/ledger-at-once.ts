/**
 * Whole groups as one statement, which needs no transaction around it: one turn of the database where a transaction
 * takes six or seven. All or nothing: where the books are not as the group assumes, nothing is changed.
 */
import { fewRows, postgresChanges, sqliteLedger, sqliteSettlements } from './ledger-sql.ts';

export interface AtOnceSql {
  /**
   * Rows {id, amount} of users and of tokens, then rows as for `insertHolds`. Assumes that every balance covers its
   * amount and that no request id is known.
   */
  readonly takeHolds: string;
  /**
   * Lists of [request id, state, charge, reason, second, amount, token amount] of open holds; rows as for
   * `insertClosed`; then changes of users, tokens and channels, log rows and what budgets lose, as for settlements in a
   * transaction.
   * Assumes that the holds are open with just these amounts and that the request ids of the second list are new.
   */
  readonly settle: string;
}

/** Users, then tokens are locked where their balance covers the sum; only if all of them are, anything is changed. */
const postgresTakeHolds = `
    WITH u AS MATERIALIZED (
      SELECT (v ->> 'id')::int AS id, (v ->> 'amount')::bigint AS amount FROM jsonb_array_elements(?::jsonb) AS v
      ${fewRows}
    ), t AS MATERIALIZED (
      SELECT (v ->> 'id')::int AS id, (v ->> 'amount')::bigint AS amount FROM jsonb_array_elements(?::jsonb) AS v
      ${fewRows}
    ), locked_users AS MATERIALIZED (
      SELECT r.id FROM users r JOIN u ON u.id = r.id WHERE r.quota >= u.amount ORDER BY r.id FOR NO KEY UPDATE OF r
    ), locked_tokens AS MATERIALIZED (
      SELECT r.id FROM tokens r JOIN t ON t.id = r.id WHERE r.remain_quota >= t.amount
      ORDER BY r.id FOR NO KEY UPDATE OF r
    ), covered AS MATERIALIZED (
      SELECT (SELECT count(*) FROM locked_users) = (SELECT count(*) FROM u)
        AND (SELECT count(*) FROM locked_tokens) = (SELECT count(*) FROM t) AS all_of_them
    ), paid_users AS (
      UPDATE users SET quota = users.quota - u.amount FROM u, covered
      WHERE covered.all_of_them AND users.id = u.id
    ), paid_tokens AS (
      UPDATE tokens SET remain_quota = tokens.remain_quota - t.amount, used_quota = tokens.used_quota + t.amount
      FROM t, covered
      WHERE covered.all_of_them AND tokens.id = t.id
    )
    INSERT INTO quota_reservations (request_id, user_id, token_id, "group", amount, token_amount, state, node, created_at)
    SELECT v ->> 0, (v ->> 1)::int, (v ->> 2)::int, v ->> 3, (v ->> 4)::bigint, (v ->> 5)::bigint, 'open', v ->> 6,
      (v ->> 7)::bigint
    FROM jsonb_array_elements(?::jsonb) AS v, covered
    WHERE covered.all_of_them
    RETURNING request_id`;

/** Whether the books are as assumed is known before any account is locked. */
const postgresSettle = `
    WITH e AS MATERIALIZED (
      SELECT v ->> 0 AS request_id, v ->> 1 AS state, (v ->> 2)::bigint AS charged, v ->> 3 AS reason,
        (v ->> 4)::bigint AS closed_at, (v ->> 5)::bigint AS amount, (v ->> 6)::bigint AS token_amount
      FROM jsonb_array_elements(?::jsonb) AS v
    ), n AS MATERIALIZED (
      SELECT * FROM json_to_recordset(?::json) AS v(
        request_id text, user_id int, token_id int, "group" text, charged bigint, state text, reason text,
        node text, closed_at bigint)
    ), locked AS MATERIALIZED (
      SELECT q.request_id FROM quota_reservations q JOIN e ON e.request_id = q.request_id
      WHERE q.state || '' = 'open' AND q.amount = e.amount AND q.token_amount = e.token_amount
      ORDER BY q.request_id FOR NO KEY UPDATE OF q
    ), books AS MATERIALIZED (
      SELECT (SELECT count(*) FROM locked) = (SELECT count(*) FROM e)
        AND NOT EXISTS (SELECT 1 FROM quota_reservations q JOIN n ON n.request_id = q.request_id) AS as_assumed
    ), closed AS (
      UPDATE quota_reservations AS q
      SET state = e.state, charged = e.charged, reason = e.reason, closed_at = e.closed_at
      FROM e WHERE (SELECT as_assumed FROM books) AND q.request_id = e.request_id
    ), added AS (
      INSERT INTO quota_reservations (
        request_id, user_id, token_id, "group", amount, token_amount, charged, state, reason, node, created_at, closed_at)
      SELECT request_id, user_id, token_id, "group", 0, 0, charged, state, reason, node, closed_at, closed_at
      FROM n WHERE (SELECT as_assumed FROM books)
    ), ${postgresChanges('WHERE (SELECT as_assumed FROM books)')}
    SELECT books.as_assumed, u.id, u.balance FROM books LEFT JOIN u ON true`;

export const postgresAtOnce: AtOnceSql = { takeHolds: postgresTakeHolds, settle: postgresSettle };

/** A statement over a list as part of a program; `list` names the column of the program that holds the list. */
function step(sql: string, list: string): string {
  const [text = ''] = sql.split('RETURNING');
  return `${text.replace('jsonb_each(?)', `jsonb_each(new.${list})`).trim()};`;
}

/** Ends the program, and with it all it did, unless the statement before changed as many rows as the list has. */
const onlyIfAll = (list: string): string =>
  `SELECT raise(rollback, 'not as assumed') WHERE changes() <> json_array_length(new.${list});`;

/** As `closeHolds`, for holds that are as the group knows them. */
const sqliteCloseKnown = `
    UPDATE quota_reservations SET state = d.state, charged = d.charged, reason = d.reason, closed_at = d.closed_at
    FROM (
      SELECT value ->> 0 AS request_id, value ->> 1 AS state, value ->> 2 AS charged, value ->> 3 AS reason,
        value ->> 4 AS closed_at, value ->> 5 AS amount, value ->> 6 AS token_amount
      FROM jsonb_each(?)
    ) AS d
    WHERE quota_reservations.request_id = d.request_id AND +quota_reservations.state = 'open'
      AND quota_reservations.amount = d.amount AND quota_reservations.token_amount = d.token_amount`;

/**
 * What `sqliteAtOnce` needs on the connection that writes: triggers of views that hold nothing, kept by the connection
 * and never in the file. A row of lists that is inserted runs the statements of its trigger.
 */
export const sqlitePrograms: readonly string[] = [
  'CREATE TEMP VIEW IF NOT EXISTS ledger_holds AS SELECT NULL AS users, NULL AS tokens, NULL AS holds',
  `CREATE TEMP TRIGGER IF NOT EXISTS ledger_take_holds INSTEAD OF INSERT ON ledger_holds BEGIN
    ${step(sqliteLedger.debitUsers, 'users')} ${onlyIfAll('users')}
    ${step(sqliteLedger.debitTokens, 'tokens')} ${onlyIfAll('tokens')}
    ${step(sqliteLedger.insertHolds, 'holds')}
  END`,
  `CREATE TEMP VIEW IF NOT EXISTS ledger_settlements AS
    SELECT NULL AS held, NULL AS unheld, NULL AS users, NULL AS tokens, NULL AS channels, NULL AS rows,
      NULL AS budgets`,
  `CREATE TEMP TRIGGER IF NOT EXISTS ledger_settle INSTEAD OF INSERT ON ledger_settlements BEGIN
    ${step(sqliteCloseKnown, 'held')} ${onlyIfAll('held')}
    ${step(sqliteLedger.insertClosed, 'unheld')} ${onlyIfAll('unheld')}
    ${step(sqliteSettlements.users, 'users')}
    ${step(sqliteSettlements.tokens, 'tokens')}
    ${step(sqliteSettlements.channels, 'channels')}
    ${step(sqliteSettlements.logs, 'rows')}
    ${step(sqliteSettlements.budgets, 'budgets')}
  END`,
];

export const sqliteAtOnce: AtOnceSql = {
  takeHolds: 'INSERT OR ROLLBACK INTO ledger_holds VALUES (?, ?, ?)',
  settle: `
    INSERT OR ROLLBACK INTO ledger_settlements VALUES (?, ?, ?, ?, ?, ?, ?)
    RETURNING (
      SELECT json_group_array(json_object('id', id, 'balance', quota)) FROM users
      WHERE id IN (SELECT value ->> 'id' FROM jsonb_each(ledger_settlements.users))
    ) AS balances`,
};
