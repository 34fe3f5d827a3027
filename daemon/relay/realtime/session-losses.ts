/**
 * What a session was to be and a vendor with other words was not told (relay.md 13.1). What the model is told is read as
 * the beta has it, members side by side, so that a vendor's own names must be put back before.
 */
import { asObject } from '../formats/fields.ts';
import type { Json, JsonObject } from '../json.ts';

/** Members by their names in the beta and in the official manner; names of the client's own would fill the log. */
const members: readonly (readonly [beta: string, official: string])[] = [
  ['input_audio_noise_reduction', 'audio.input.noise_reduction'],
  ['instructions', 'instructions'],
  ['max_response_output_tokens', 'max_output_tokens'],
  ['modalities', 'output_modalities'],
  ['turn_detection', 'audio.input.turn_detection'],
  ['voice', 'audio.output.voice'],
  ['speed', 'audio.output.speed'],
  ['include', 'include'],
  ['parallel_tool_calls', 'parallel_tool_calls'],
  ['prompt', 'prompt'],
  ['reasoning', 'reasoning'],
  ['temperature', 'temperature'],
  ['tool_choice', 'tool_choice'],
  ['tools', 'tools'],
  ['truncation', 'truncation'],
];

/** Members of members, of which a vendor may know a few. Transcripts come unasked, by a model of the vendor's. */
const parts: readonly (readonly [beta: string, official: string, names: readonly string[]])[] = [
  ['input_audio_transcription', 'audio.input.transcription', ['language', 'prompt']],
  [
    'turn_detection',
    'audio.input.turn_detection',
    [
      'create_response',
      'eagerness',
      'idle_timeout_ms',
      'interrupt_response',
      'prefix_padding_ms',
      'silence_duration_ms',
      'threshold',
    ],
  ],
];

/** Values by which clients ask for what happens anyway. */
const idle: Readonly<Record<string, Json>> = {
  create_response: true,
  eagerness: 'auto',
  interrupt_response: true,
  max_response_output_tokens: 'inf',
  parallel_tool_calls: true,
  speed: 1,
  tool_choice: 'auto',
  truncation: 'auto',
};

/** A change of a session, as the client asked for it and as the vendor is told. */
export interface SessionChange {
  readonly asked: JsonObject;
  readonly told: JsonObject;
  readonly manner: 'beta' | 'official';
}

/** Tells `lose` each member that was asked for, would have an effect and is not told. */
export function noteSessionLosses({ asked, told, manner }: SessionChange, lose: (member: string) => void): void {
  const isOfficial = manner === 'official';
  for (const [beta, official] of members) {
    const path = isOfficial ? official : beta;
    if (isWish(beta, memberAt(asked, path)) && told[beta] === undefined) lose(`session.${path}`);
  }
  for (const [beta, official, names] of parts) {
    const path = isOfficial ? official : beta;
    const wishes = asObject(memberAt(asked, path));
    // Nothing listens for ends where the client says them.
    if (wishes === undefined || told[beta] === null) continue;
    for (const name of names) {
      if (isWish(name, wishes[name]) && asObject(told[beta])?.[name] === undefined) lose(`session.${path}.${name}`);
    }
  }
}

function isWish(name: string, value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === idle[name]) return false;
  return !Array.isArray(value) || value.length > 0;
}

function memberAt(session: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = session;
  for (const name of path.split('.')) value = asObject(value)?.[name];
  return value;
}
