/**
 * The ledger's statements, each over a whole group: one JSON parameter holds the rows, so their number never shows in
 * the text. PostgreSQL locks rows in the order of their ids before it changes them; SQLite has one writer.
 */

/**
 * PostgreSQL takes a JSON list for 100 rows, for which it reads a table of a few thousand as a whole, dead versions
 * included. It takes a list whose limit it cannot know for a tenth of that, and walks the key.
 */
export const fewRows = 'LIMIT (SELECT 2147483647)';

/**
 * PostgreSQL only: what `sqliteSettlements` does in five statements, with the same five lists in the same order, as
 * parts of one; nothing where the condition, a whole `WHERE` clause, does not hold. `u` returns ids and balances.
 */
export const postgresChanges = (condition: string): string => `
    u AS (
      UPDATE users SET quota = users.quota + d.refund, used_quota = users.used_quota + d.used,
        request_count = users.request_count + d.requests
      FROM (
        SELECT r.id, v.refund, v.used, v.requests
        FROM (
          SELECT * FROM json_to_recordset(?::json) AS v(id int, refund bigint, used bigint, requests bigint) ${fewRows}
        ) AS v
        JOIN users r ON r.id = v.id ${condition} ORDER BY r.id FOR NO KEY UPDATE OF r
      ) AS d
      WHERE users.id = d.id
      RETURNING users.id, users.quota AS balance
    ), t AS (
      UPDATE tokens SET remain_quota = tokens.remain_quota + d.refund, used_quota = tokens.used_quota + d.used,
        accessed_time = greatest(tokens.accessed_time, d.accessed_time)
      FROM (
        SELECT r.id, v.refund, v.used, v.accessed_time
        FROM (
          SELECT * FROM json_to_recordset(?::json) AS v(id int, refund bigint, used bigint, accessed_time bigint) ${fewRows}
        ) AS v
        JOIN tokens r ON r.id = v.id ${condition} ORDER BY r.id FOR NO KEY UPDATE OF r
      ) AS d
      WHERE tokens.id = d.id
    ), c AS (
      UPDATE channels SET used_quota = channels.used_quota + d.used
      FROM (
        SELECT r.id, v.used
        FROM (SELECT * FROM json_to_recordset(?::json) AS v(id int, used bigint) ${fewRows}) AS v
        JOIN channels r ON r.id = v.id ${condition} ORDER BY r.id FOR NO KEY UPDATE OF r
      ) AS d
      WHERE channels.id = d.id
    ), l AS (
      INSERT INTO logs (
        user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens,
        use_time, is_stream, channel_id, token_id, "group", other, request_id, failed, ip, cost)
      SELECT (v ->> 0)::int, (v ->> 1)::bigint, (v ->> 2)::int, v ->> 3, v ->> 4, v ->> 5, v ->> 6, (v ->> 7)::bigint,
        (v ->> 8)::int, (v ->> 9)::int, (v ->> 10)::int, (v ->> 11)::boolean, (v ->> 12)::int, (v ->> 13)::int,
        v ->> 14, v ->> 15, v ->> 16, (v ->> 17)::boolean, v ->> 18, (v ->> 19)::bigint
      FROM jsonb_array_elements(?::jsonb) AS v ${condition}
    ), b AS (
      INSERT INTO budget_uses AS b (subject, subject_id, starts_at, kind, per, node, used)
      SELECT v ->> 0, (v ->> 1)::int, (v ->> 2)::bigint, v ->> 3, v ->> 4, v ->> 5, (v ->> 6)::bigint
      FROM jsonb_array_elements(?::jsonb) AS v ${condition} ORDER BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (subject, subject_id, starts_at, kind, per, node) DO UPDATE SET used = b.used + excluded.used
    )`;

export const postgresSettlements = `WITH ${postgresChanges('')} SELECT id, balance FROM u`;

/** Statement texts with one `?` for the JSON list of rows: objects whose members are named in the text, unless noted. */
export interface LedgerSql {
  /** Rows {id, amount}: takes the amount where the balance covers it; a negative amount is given back. */
  readonly debitUsers: string;
  /** As `debitUsers`, on the remaining quota of limited tokens. */
  readonly debitTokens: string;
  /** List of ids. */
  readonly readUsers: string;
  /** List of ids. */
  readonly readTokens: string;
  /** Lists in the order of the columns; a request id that is known fails the statement. */
  readonly insertHolds: string;
  /** List of request ids. */
  readonly lockOpen: string;
  readonly extendHolds: string;
  /** As `extendHolds`, the other way, with what has been charged so far. */
  readonly spendHolds: string;
  readonly amendRows: string;
  /** Lists of request id, state, charge, reason and second. */
  readonly closeHolds: string;
  readonly insertClosed: string;
}

// `jsonb_each` hands every row over parsed; `json_each` writes it out again, to be parsed for its columns: 14 instead of
// 7 µs a log row.
// The sign before `state` keeps SQLite from walking the index of that column, once for every row of the group.
// PostgreSQL would walk it too, through the entries of all holds that were open since the last vacuum: hence the `|| ''`.
export const sqliteLedger: LedgerSql = {
  debitUsers: `
    UPDATE users SET quota = users.quota - d.amount
    FROM (SELECT value ->> 'id' AS id, value ->> 'amount' AS amount FROM jsonb_each(?)) AS d
    WHERE users.id = d.id AND (d.amount <= 0 OR users.quota >= d.amount)
    RETURNING id`,
  debitTokens: `
    UPDATE tokens SET remain_quota = tokens.remain_quota - d.amount, used_quota = tokens.used_quota + d.amount
    FROM (SELECT value ->> 'id' AS id, value ->> 'amount' AS amount FROM jsonb_each(?)) AS d
    WHERE tokens.id = d.id AND (d.amount <= 0 OR tokens.remain_quota >= d.amount)
    RETURNING id`,
  readUsers: 'SELECT id, quota AS balance FROM users WHERE id IN (SELECT value FROM json_each(?))',
  readTokens: 'SELECT id, remain_quota AS balance FROM tokens WHERE id IN (SELECT value FROM json_each(?))',
  insertHolds: `
    INSERT INTO quota_reservations (request_id, user_id, token_id, "group", amount, token_amount, state, node, created_at)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, 'open', value ->> 6, value ->> 7
    FROM jsonb_each(?)`,
  lockOpen: `
    SELECT request_id, amount, token_amount, charged FROM quota_reservations
    WHERE +state = 'open' AND request_id IN (SELECT value FROM json_each(?))`,
  extendHolds: `
    UPDATE quota_reservations SET amount = quota_reservations.amount + d.amount,
      token_amount = quota_reservations.token_amount + d.token_amount
    FROM (
      SELECT value ->> 'request_id' AS request_id, value ->> 'amount' AS amount, value ->> 'token_amount' AS token_amount
      FROM jsonb_each(?)
    ) AS d
    WHERE quota_reservations.request_id = d.request_id AND +quota_reservations.state = 'open'`,
  spendHolds: `
    UPDATE quota_reservations SET charged = d.charged, amount = quota_reservations.amount - d.amount,
      token_amount = quota_reservations.token_amount - d.token_amount
    FROM (
      SELECT value ->> 'request_id' AS request_id, value ->> 'amount' AS amount,
        value ->> 'token_amount' AS token_amount, value ->> 'charged' AS charged
      FROM jsonb_each(?)
    ) AS d
    WHERE quota_reservations.request_id = d.request_id AND +quota_reservations.state = 'open'`,
  amendRows: `
    UPDATE logs SET content = d.content, quota = d.quota, prompt_tokens = d.prompt_tokens,
      completion_tokens = d.completion_tokens, use_time = d.use_time, other = d.other, cost = d.cost
    FROM (
      SELECT value ->> 'id' AS id, value ->> 'content' AS content, value ->> 'quota' AS quota,
        value ->> 'prompt_tokens' AS prompt_tokens, value ->> 'completion_tokens' AS completion_tokens,
        value ->> 'use_time' AS use_time, value ->> 'other' AS other,
        value ->> 'cost' AS cost
      FROM jsonb_each(?)
    ) AS d
    WHERE logs.id = d.id`,
  closeHolds: `
    UPDATE quota_reservations SET state = d.state, charged = d.charged, reason = d.reason, closed_at = d.closed_at
    FROM (
      SELECT value ->> 0 AS request_id, value ->> 1 AS state, value ->> 2 AS charged, value ->> 3 AS reason,
        value ->> 4 AS closed_at
      FROM jsonb_each(?)
    ) AS d
    WHERE quota_reservations.request_id = d.request_id AND +quota_reservations.state = 'open'
    RETURNING request_id, amount, token_amount`,
  insertClosed: `
    INSERT INTO quota_reservations (
      request_id, user_id, token_id, "group", amount, token_amount, charged, state, reason, node, created_at, closed_at)
    SELECT value ->> 'request_id', value ->> 'user_id', value ->> 'token_id', value ->> 'group', 0, 0,
      value ->> 'charged', value ->> 'state', value ->> 'reason', value ->> 'node', value ->> 'closed_at',
      value ->> 'closed_at'
    FROM jsonb_each(?) WHERE true
    ON CONFLICT (request_id) DO NOTHING
    RETURNING request_id`,
};

/** SQLite only: what a group of settlements changes besides its holds, a statement for each table. */
export const sqliteSettlements = {
  users: `
    UPDATE users SET quota = users.quota + d.refund, used_quota = users.used_quota + d.used,
      request_count = users.request_count + d.requests
    FROM (
      SELECT value ->> 'id' AS id, value ->> 'refund' AS refund, value ->> 'used' AS used,
        value ->> 'requests' AS requests
      FROM jsonb_each(?)
    ) AS d
    WHERE users.id = d.id
    RETURNING id, quota AS balance`,
  tokens: `
    UPDATE tokens SET remain_quota = tokens.remain_quota + d.refund, used_quota = tokens.used_quota + d.used,
      accessed_time = max(tokens.accessed_time, d.accessed_time)
    FROM (
      SELECT value ->> 'id' AS id, value ->> 'refund' AS refund, value ->> 'used' AS used,
        value ->> 'accessed_time' AS accessed_time
      FROM jsonb_each(?)
    ) AS d
    WHERE tokens.id = d.id`,
  channels: `
    UPDATE channels SET used_quota = channels.used_quota + d.used
    FROM (SELECT value ->> 'id' AS id, value ->> 'used' AS used FROM jsonb_each(?)) AS d
    WHERE channels.id = d.id`,
  /** Lists in the order of the columns. */
  logs: `
    INSERT INTO logs (
      user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens,
      use_time, is_stream, channel_id, token_id, "group", other, request_id, failed, ip, cost)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
      value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13, value ->> 14, value ->> 15,
      value ->> 16, value ->> 17, value ->> 18, value ->> 19
    FROM jsonb_each(?)`,
  /** Lists in the order of the columns. */
  budgets: `
    INSERT INTO budget_uses (subject, subject_id, starts_at, kind, per, node, used)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
    FROM jsonb_each(?) WHERE true
    ON CONFLICT (subject, subject_id, starts_at, kind, per, node) DO UPDATE SET used = used + excluded.used`,
};

export const postgresLedger: LedgerSql = {
  debitUsers: `
    UPDATE users SET quota = users.quota - d.amount
    FROM (
      SELECT r.id, v.amount FROM json_to_recordset(?::json) AS v(id int, amount bigint)
      JOIN users r ON r.id = v.id ORDER BY r.id FOR NO KEY UPDATE OF r
    ) AS d
    WHERE users.id = d.id AND (d.amount <= 0 OR users.quota >= d.amount)
    RETURNING users.id`,
  debitTokens: `
    UPDATE tokens SET remain_quota = tokens.remain_quota - d.amount, used_quota = tokens.used_quota + d.amount
    FROM (
      SELECT r.id, v.amount FROM json_to_recordset(?::json) AS v(id int, amount bigint)
      JOIN tokens r ON r.id = v.id ORDER BY r.id FOR NO KEY UPDATE OF r
    ) AS d
    WHERE tokens.id = d.id AND (d.amount <= 0 OR tokens.remain_quota >= d.amount)
    RETURNING tokens.id`,
  readUsers: `
    SELECT id, quota AS balance FROM users
    WHERE id IN (SELECT value::int FROM json_array_elements_text(?::json)) ORDER BY id FOR NO KEY UPDATE`,
  readTokens: `
    SELECT id, remain_quota AS balance FROM tokens
    WHERE id IN (SELECT value::int FROM json_array_elements_text(?::json)) ORDER BY id FOR NO KEY UPDATE`,
  insertHolds: `
    INSERT INTO quota_reservations (request_id, user_id, token_id, "group", amount, token_amount, state, node, created_at)
    SELECT v ->> 0, (v ->> 1)::int, (v ->> 2)::int, v ->> 3, (v ->> 4)::bigint, (v ->> 5)::bigint, 'open', v ->> 6,
      (v ->> 7)::bigint
    FROM jsonb_array_elements(?::jsonb) AS v`,
  lockOpen: `
    SELECT request_id, amount, token_amount, charged FROM quota_reservations
    WHERE state || '' = 'open' AND request_id IN (SELECT value FROM json_array_elements_text(?::json))
    ORDER BY request_id FOR NO KEY UPDATE`,
  extendHolds: `
    UPDATE quota_reservations AS q SET amount = q.amount + d.amount, token_amount = q.token_amount + d.token_amount
    FROM json_to_recordset(?::json) AS d(request_id text, amount bigint, token_amount bigint)
    WHERE q.request_id = d.request_id AND q.state || '' = 'open'`,
  spendHolds: `
    UPDATE quota_reservations AS q
    SET charged = d.charged, amount = q.amount - d.amount, token_amount = q.token_amount - d.token_amount
    FROM json_to_recordset(?::json) AS d(request_id text, amount bigint, token_amount bigint, charged bigint)
    WHERE q.request_id = d.request_id AND q.state || '' = 'open'`,
  amendRows: `
    UPDATE logs SET content = d.content, quota = d.quota, prompt_tokens = d.prompt_tokens,
      completion_tokens = d.completion_tokens, use_time = d.use_time, other = d.other, cost = d.cost
    FROM json_to_recordset(?::json) AS d(
      id bigint, content text, quota bigint, prompt_tokens int, completion_tokens int, use_time int, other text,
      cost bigint)
    WHERE logs.id = d.id`,
  closeHolds: `
    UPDATE quota_reservations AS q
    SET state = d.state, charged = d.charged, reason = d.reason, closed_at = d.closed_at
    FROM (
      SELECT v ->> 0 AS request_id, v ->> 1 AS state, (v ->> 2)::bigint AS charged, v ->> 3 AS reason,
        (v ->> 4)::bigint AS closed_at
      FROM jsonb_array_elements(?::jsonb) AS v
    ) AS d
    WHERE q.request_id = d.request_id AND q.state || '' = 'open'
    RETURNING q.request_id, q.amount, q.token_amount`,
  insertClosed: `
    INSERT INTO quota_reservations (
      request_id, user_id, token_id, "group", amount, token_amount, charged, state, reason, node, created_at, closed_at)
    SELECT request_id, user_id, token_id, "group", 0, 0, charged, state, reason, node, closed_at, closed_at
    FROM json_to_recordset(?::json) AS v(
      request_id text, user_id int, token_id int, "group" text, charged bigint, state text, reason text,
      node text, closed_at bigint)
    ON CONFLICT (request_id) DO NOTHING
    RETURNING request_id`,
};
