/** A task as clients of the drawing proxy know it (relay.md 8.6). */
import { parseJson } from '../../formats/fields.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { DrawingState } from './news.ts';

/** What is shown beside its state. */
export interface ShownDrawing extends DrawingState {
  readonly mjId: string;
  readonly action: string;
  readonly customId: string;
  readonly botType: string;
  readonly prompt: string;
}

/** @param imageUrl as the client may fetch it; "" while there is none */
export function taskView(drawing: ShownDrawing, imageUrl: string): JsonObject {
  const { mjId, buttons, properties, videoUrls } = drawing;
  return {
    id: mjId,
    action: drawing.action,
    customId: drawing.customId,
    botType: drawing.botType,
    prompt: drawing.prompt,
    promptEn: drawing.promptEn,
    description: drawing.description,
    state: drawing.state,
    submitTime: drawing.submitTime,
    startTime: drawing.startTime,
    finishTime: drawing.finishTime,
    imageUrl,
    videoUrl: drawing.videoUrl,
    videoUrls: stored(videoUrls, []),
    status: drawing.status,
    progress: drawing.progress,
    failReason: drawing.failReason,
    buttons: stored(buttons, []),
    // Masks are passed on and not kept.
    maskBase64: '',
    properties: stored(properties, {}),
  };
}

/** A column's JSON; `empty` for "". */
function stored(text: string, empty: Json): Json {
  return text === '' ? empty : (parseJson(text) ?? empty);
}
