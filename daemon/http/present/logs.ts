/** Rows of the usage log on the wire. */
import type { LogStat, LogView } from '../../contract/logs.ts';
import type { LogFigures } from '../../domain/logs.ts';
import type { LogRecord } from '../../store/logs.ts';

/** @param operator set where the reader may know of channels and costs */
export function presentLog(row: LogRecord, operator?: { readonly channelName: string }): LogView {
  return {
    id: row.id,
    user_id: row.userId,
    created_at: row.createdAt,
    type: row.type,
    content: row.content,
    username: row.username,
    token_name: row.tokenName,
    model_name: row.modelName,
    quota: row.quota,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    use_time: row.useTime,
    is_stream: row.isStream,
    channel: row.channelId,
    channel_name: operator?.channelName ?? '',
    token_id: row.tokenId,
    group: row.group,
    other: row.other,
    request_id: row.requestId,
    failed: row.failed,
    ip: row.ip,
    ...(operator === undefined ? {} : { cost: row.cost }),
  };
}

export function presentFigures(figures: LogFigures): LogStat {
  return {
    quota: figures.quota,
    rpm: figures.rpm,
    tpm: figures.tpm,
    prompt_tokens: figures.promptTokens,
    completion_tokens: figures.completionTokens,
  };
}
