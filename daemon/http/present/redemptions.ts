/** Redemption codes as administrators see them, and as files. */
import { stringify } from 'csv-stringify/sync';
import type { FileAnswer } from '../../contract/endpoint.ts';
import type { RedemptionBatchView, RedemptionUseView, RedemptionView } from '../../contract/redemptions.ts';
import { guardFormula } from '../../contract/spreadsheet-text.ts';
import type { NamedUse } from '../../domain/redemptions.ts';
import type { RedemptionBatchRecord, RedemptionRecord } from '../../store/redemptions.ts';
import { inPieces, rowFile } from './row-file.ts';

export function presentRedemption(record: RedemptionRecord): RedemptionView {
  return {
    id: record.id,
    user_id: record.userId,
    key: record.key,
    status: record.status,
    name: record.name,
    quota: record.quota,
    created_time: record.createdTime,
    redeemed_time: record.redeemedTime,
    used_user_id: record.usedUserId,
    is_gift: record.isGift,
    max_uses: record.maxUses,
    used_count: record.usedCount,
    valid_from: record.validFrom,
    valid_until: record.validUntil,
    count: 0,
    DeletedAt: null,
  };
}

export function presentRedemptionUse(use: NamedUse): RedemptionUseView {
  return { user_id: use.userId, username: use.username, used_time: use.usedTime, quota: use.quota };
}

export function presentRedemptionBatch(batch: RedemptionBatchRecord): RedemptionBatchView {
  return {
    name: batch.name,
    codes: batch.codes,
    unused: batch.unused,
    disabled: batch.disabled,
    used: batch.used,
    used_count: batch.usedCount,
    least_quota: batch.leastQuota,
    most_quota: batch.mostQuota,
    created_time: batch.createdTime,
  };
}

export type RedemptionFileFormat = 'text' | 'csv' | 'json' | 'ndjson';

const csvColumns = [
  'code',
  'name',
  'quota',
  'status',
  'is_gift',
  'max_uses',
  'used_count',
  'valid_from',
  'valid_until',
];

function csvRow(code: RedemptionView): (string | number)[] {
  const { key, name, quota, status, is_gift, max_uses, used_count, valid_from, valid_until } = code;
  return [
    key,
    guardFormula(name),
    quota,
    status,
    is_gift ? 'true' : 'false',
    max_uses,
    used_count,
    valid_from,
    valid_until,
  ];
}

async function* lines(
  pages: AsyncIterable<readonly RedemptionRecord[]>,
  format: RedemptionFileFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${csvColumns.join(',')}\n`;
  if (format === 'json') yield '[';
  let isFirst = true;
  for await (const piece of inPieces(pages)) {
    const codes = piece.map(presentRedemption);
    if (format === 'text') yield codes.map(({ key }) => `${key}\n`).join('');
    else if (format === 'csv') yield stringify(codes.map(csvRow));
    else if (format === 'ndjson') yield codes.map((code) => `${JSON.stringify(code)}\n`).join('');
    else yield `${isFirst ? '' : ','}${codes.map((code) => JSON.stringify(code)).join(',')}`;
    isFirst = false;
  }
  if (format === 'json') yield ']\n';
}

/** The codes as a download, streamed. */
export function redemptionFile(
  pages: AsyncIterable<readonly RedemptionRecord[]>,
  format: RedemptionFileFormat,
): FileAnswer {
  return rowFile('redemption-codes', format, lines(pages, format));
}
