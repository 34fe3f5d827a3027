/** Channels that somebody else saved, or gave the tag, while the drawer of their tag was open (console.md 1.3). */
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import type { OvertakenMember } from '../../components/meanwhile.ts';
import { type TagDraft, tagEffects } from './tag-draft.ts';

/** What of a channel a field of the drawer sets. */
const members = {
  new_tag: 'tag',
  models: 'models',
  model_mapping: 'model_mapping',
  groups: 'group',
  priority: 'priority',
  weight: 'weight',
} as const satisfies Partial<Record<keyof TagDraft, keyof ChannelView>>;

/** The fields to be sent that would undo what became of a channel since it was shown. */
export function overtakenOfTag(
  draft: TagDraft,
  tag: string,
  shown: readonly ChannelView[],
  now: readonly ChannelView[],
): OvertakenMember[] {
  return Object.entries(members).flatMap(([field, member]): OvertakenMember[] => {
    const theirs = now.filter((channel) => {
      const before = shown.find(({ id }) => id === channel.id);
      // One that was not shown has joined since: nobody has said that it is to be changed.
      const isChanged = before?.[member] !== channel[member];
      return isChanged && tagEffects(draft, tag, channel).some((effect) => effect.field === field);
    });
    if (theirs.length === 0) return [];
    const text = theirs.map(({ id, name, [member]: value }) => `#${id} ${name}: ${value}`).join(', ');
    return [{ name: field, kind: undefined, theirs: text, mine: Reflect.get(draft, field) }];
  });
}
