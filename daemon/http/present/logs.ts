/** Rows of the usage log on the wire. */
import type { LogStat, LogView } from '../../contract/logs.ts';
import type { LogFigures } from '../../domain/logs.ts';
import type { LogRecord } from '../../store/logs.ts';

/** A row for an operator, who may know of channels and costs. `channelName`: "" for a channel that is gone. */
export function presentLog(row: LogRecord, channelName: (id: number) => string): LogView {
  const name = row.channelId === 0 ? '' : channelName(row.channelId);
  return { ...presentOwnLog(row), channel_name: name, cost: row.cost };
}

/** A row for the user it belongs to. */
export function presentOwnLog(row: LogRecord): LogView {
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
    channel_name: '',
    token_id: row.tokenId,
    group: row.group,
    other: row.other,
    request_id: row.requestId,
    failed: row.failed,
    ip: row.ip,
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
