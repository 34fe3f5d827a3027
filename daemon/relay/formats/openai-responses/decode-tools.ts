/**
 * Tools of the Responses wire.
 */
import type { ChatTool, WebSearchOptions } from '../../canonical/chat.ts';
import { flatToolName } from '../../canonical/tool-names.ts';
import type { JsonObject } from '../../json.ts';
import {
  asFlag,
  asObject,
  asOneOf,
  asText,
  asWord,
  entryOf,
  invalid,
  onlyObjects,
  present,
  remainder,
} from '../fields.ts';
import { ownMembers } from '../own-members.ts';
import { decodeDomains, decodePlace, ownOfSearch } from '../web-search.ts';
import { clientTools, hostedKinds } from './wire.ts';

const knownToolFields: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict']);

export function decodeTools(tools: readonly JsonObject[]): ChatTool[] {
  return tools.flatMap((tool, at) => decodeTool(tool, `tools[${at}]`, undefined));
}

const ownCustomMembers = ['allowed_callers', 'defer_loading'] as const;

/** The group that a tool stands in. */
interface Namespace {
  readonly namespace: string | undefined;
  readonly namespaceDescription: string | undefined;
}

/** One entry; a namespace stands for the tools in it. */
function decodeTool(tool: JsonObject, path: string, group: Namespace | undefined): ChatTool[] {
  const type = asWord(tool.type) ?? 'function';
  const name = asWord(tool.name);
  if (type === 'namespace') {
    const own = { namespace: name, namespaceDescription: asWord(tool.description) };
    return onlyObjects(tool.tools, `${path}.tools`).flatMap((entry, at) =>
      decodeTool(entry, `${path}.tools[${at}]`, own),
    );
  }
  if (type === 'function' || type === 'custom') {
    // Chat's nested form is understood too: some clients send it here.
    const spoken = asObject(tool.function) ?? tool;
    const known = asWord(spoken.name);
    if (known === undefined) throw invalid(`${path}.name`, 'is required');
    const description = asText(spoken.description);
    if (type === 'custom') {
      return [
        present({
          kind: 'custom',
          name: known,
          description,
          format: asObject(tool.format),
          ...group,
          extensions: ownMembers(tool, 'openai-responses', ownCustomMembers),
        }),
      ];
    }
    const rest = tool.function === undefined ? remainder(tool, knownToolFields) : {};
    return [
      present({
        kind: 'function',
        name: known,
        description,
        parameters: asObject(spoken.parameters),
        strict: asFlag(spoken.strict),
        ...group,
        extensions: Object.keys(rest).length > 0 ? { 'openai-responses': rest } : undefined,
      }),
    ];
  }
  const client = entryOf(clientTools, type);
  if (client !== undefined && tool.execution !== 'server') return [{ kind: client, settings: tool }];
  const hosted = hostedKinds.find(([prefix]) => type.startsWith(prefix))?.[1] ?? 'other';
  return [{ kind: 'hosted', hosted, dialect: 'openai-responses', name: type, settings: tool }];
}

/** Tools that the client's own search found can be called from then on; some of them were offered all along. */
export function withFoundTools(tools: ChatTool[], found: readonly ChatTool[]): ChatTool[] {
  const known = new Set(tools.map(nameOf));
  for (const tool of found) {
    const name = nameOf(tool);
    if (name === undefined || known.has(name)) continue;
    known.add(name);
    tools.push(tool);
  }
  return tools;
}

function nameOf(tool: ChatTool): string | undefined {
  return tool.kind === 'function' || tool.kind === 'custom' ? flatToolName(tool.name, tool.namespace) : undefined;
}

/** A search tool also as an option, for formats that have one instead. */
export function searchOptionsOf(tools: readonly ChatTool[]): WebSearchOptions | undefined {
  const tool = tools.find((entry) => entry.kind === 'hosted' && entry.hosted === 'web-search');
  if (tool?.kind !== 'hosted') return undefined;
  const filters = asObject(tool.settings.filters);
  const { filters: _, ...settings } = tool.settings;
  return present({
    contextSize: asOneOf(tool.settings.search_context_size, ['low', 'medium', 'high']),
    location: decodePlace(tool.settings.user_location),
    allowedDomains: decodeDomains(filters?.allowed_domains),
    blockedDomains: decodeDomains(filters?.blocked_domains),
    own: ownOfSearch(settings, ['search_context_size']),
  });
}
