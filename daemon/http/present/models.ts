/** Models as the channel editor lists them. */
import type * as z from 'zod/mini';
import type { BuiltInModel as BuiltInModelView } from '../../contract/channels.ts';
import type { BuiltInModel } from '../../domain/models.ts';

/** A fixed moment long ago: clients sort by it, and it must not change between calls. */
const created = 1_626_777_600;

export function presentModel({ name, owner }: BuiltInModel): z.infer<typeof BuiltInModelView> {
  return { id: name, object: 'model', created, owned_by: owner, permission: [], root: name, parent: null };
}
