/** Drawings and tasks on the wire; users see no channel. */
import type { DrawingView, TaskView } from '../../contract/works.ts';
import type { ShownDrawing } from '../../domain/works.ts';
import type { TaskRecord } from '../../store/tasks.ts';

/** A drawing for administrators. */
export function presentDrawing({ record, imageUrl }: ShownDrawing): DrawingView {
  return {
    id: record.id,
    created_at: record.createdAt,
    code: record.code,
    user_id: record.userId,
    action: record.action,
    mj_id: record.mjId,
    prompt: record.prompt,
    prompt_en: record.promptEn,
    description: record.description,
    state: record.state,
    submit_time: record.submitTime,
    start_time: record.startTime,
    finish_time: record.finishTime,
    image_url: imageUrl,
    status: record.status,
    progress: record.progress,
    fail_reason: record.failReason,
    channel_id: record.channelId,
    quota: record.quota,
    bot_type: record.botType,
    custom_id: record.customId,
    video_url: record.videoUrl,
    video_urls: record.videoUrls,
    buttons: record.buttons,
    properties: record.properties,
  };
}

/** A drawing for its owner. */
export function presentOwnDrawing(drawing: ShownDrawing): DrawingView {
  return { ...presentDrawing(drawing), channel_id: 0 };
}

/** A task for administrators. */
export function presentTask(task: TaskRecord): TaskView {
  return {
    id: task.id,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    task_id: task.taskId,
    platform: task.platform,
    user_id: task.userId,
    channel_id: task.channelId,
    quota: task.quota,
    action: task.action,
    status: task.status,
    fail_reason: task.failReason,
    submit_time: task.submitTime,
    start_time: task.startTime,
    finish_time: task.finishTime,
    progress: task.progress,
    properties: jsonOf(task.properties),
    data: jsonOf(task.data),
  };
}

/** A task for its owner. */
export function presentOwnTask(task: TaskRecord): TaskView {
  return { ...presentTask(task), channel_id: 0 };
}

/** The value of a JSON text; null for "" and for what an older version may have left unreadable. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
