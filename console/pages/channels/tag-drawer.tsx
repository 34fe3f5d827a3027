/** Changes every channel of a tag at once (console.md 6.10). */
import { MultiSelect, NumberInput, TextInput } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/NumberInput.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { confirm } from '../../components/confirm.tsx';
import { DiffView } from '../../components/diff-view.tsx';
import { FormDrawer } from '../../components/form-drawer.tsx';
import { MappingEditor } from '../../components/mapping-editor.tsx';
import { membersToSend } from '../../components/meanwhile.ts';
import { toast } from '../../components/toast.ts';
import { useContractForm } from '../../components/use-contract-form.ts';
import { channels } from './channel-calls.ts';
import { schemaOf } from './draft-schema.ts';
import classes from './editor.module.css';
import { ModelPicker } from './model-picker.tsx';
import { type TagDraft, tagEffects, tagFaults, tagWire } from './tag-draft.ts';
import { overtakenOfTag } from './tag-meanwhile.ts';
import type { TagRow } from './tag-rows.ts';
import { useGroupNames } from './use-channel-filters.ts';
import { refreshRows } from './use-channels.ts';
import { useClosing } from './use-closing.ts';

export interface TagDrawerProps {
  readonly tag: TagRow;
  readonly onClose: () => void;
}

export function TagDrawer({ tag, onClose }: TagDrawerProps) {
  const { t } = useTranslation(['channel-editor', 'frame']);
  const client = useQueryClient();
  const names = useGroupNames();
  const { opened, close } = useClosing(onClose);
  const schema = useMemo(() => schemaOf(tagFaults, t), [t]);
  const initial = useMemo<TagDraft>(
    () => ({ new_tag: tag.tag, models: [], model_mapping: '', groups: [], priority: '', weight: '' }),
    [tag.tag],
  );
  const form = useContractForm<TagDraft>({ schema, initial, draft: `tag-${tag.tag}` });
  const models = form.useWatchValue('models');
  const groups = form.useWatchValue('groups');
  const mapping = form.useWatchValue('model_mapping');
  // The list below follows them.
  const draft: TagDraft = {
    new_tag: form.useWatchValue('new_tag'),
    models,
    model_mapping: mapping,
    groups,
    priority: form.useWatchValue('priority'),
    weight: form.useWatchValue('weight'),
  };
  const labels: Readonly<Record<keyof TagDraft, string>> = {
    new_tag: t('tag.name'),
    models: t('field.models'),
    model_mapping: t('field.mapping'),
    groups: t('field.groups'),
    priority: t('field.priority'),
    weight: t('field.weight'),
  };
  const count = tag.channels.length;
  const submit = form.submit(async (values, changed) => {
    const typed = tagWire(changed);
    if (Object.keys(typed).length === 0) {
      toast.info(t('tag.unchanged'));
      return;
    }
    const now = await channels.list({ tag: tag.tag, tag_mode: true, page: 1, page_size: 1 });
    const wire = await membersToSend(typed, overtakenOfTag(values, tag.tag, tag.channels, now.items));
    if (!wire) return;
    if (wire.new_tag === '') {
      const verb = t('tag.dissolveVerb');
      const text = t('tag.dissolve', { count });
      if (!(await confirm({ kind: 'danger', title: t('tag.dissolveTitle', { tag: tag.tag }), text, verb }))) return;
    } else if (wire.new_tag !== undefined && wire.new_tag !== tag.tag) {
      const { total } = await channels.list({ tag: wire.new_tag, page: 1, page_size: 1 });
      const sides = { from: tag.tag, to: wire.new_tag, here: count, there: total };
      const question = { title: t('tag.mergeTitle', sides), text: t('tag.merge', sides), verb: t('tag.mergeVerb') };
      if (total > 0 && !(await confirm({ kind: 'danger', ...question }))) return;
    }
    if (Object.keys(wire).length > 0) {
      await channels.editTag({ tag: tag.tag, ...wire });
      toast.success(t('tag.updated'));
    }
    void refreshRows(client);
    void client.invalidateQueries({ queryKey: ['channels', 'tags'] });
    close();
  });
  return (
    <FormDrawer
      opened={opened}
      onClose={close}
      title={t('tag.title', { tag: tag.tag })}
      isDirty={form.isChanged}
      isSaving={form.isSaving}
      onSubmit={submit}
      submitLabel={t('frame:action.submit')}
      error={form.failure}
    >
      <p className={classes.banner}>{t('tag.banner')}</p>
      <TextInput
        key={form.key('new_tag')}
        {...form.getInputProps('new_tag')}
        label={t('tag.name')}
        description={t('tag.nameHelp')}
        maxLength={64}
        autoComplete="off"
        data-autofocus
      />
      <ModelPicker
        models={models}
        onChange={(next) => form.setFieldValue('models', next)}
        error={form.errors.models}
        isOptional
      />
      <MappingEditor
        label={t('field.mapping')}
        template={'{"gpt-3.5-turbo": "gpt-3.5-turbo-0125"}'}
        value={mapping}
        onChange={(text) => form.setFieldValue('model_mapping', text)}
        error={form.errors.model_mapping}
        path="model_mapping"
        names={models}
      />
      <MultiSelect
        label={t('field.groups')}
        data={[...names]}
        value={[...groups]}
        onChange={(value) => form.setFieldValue('groups', value)}
        error={form.errors.groups}
        searchable
        nothingFoundMessage={t('noGroup')}
        data-path="groups"
      />
      <div className={classes.pair}>
        <NumberInput
          key={form.key('priority')}
          {...form.getInputProps('priority')}
          label={t('field.priority')}
          placeholder={tag.priority === undefined ? t('tag.mixed') : String(tag.priority)}
        />
        <NumberInput
          key={form.key('weight')}
          {...form.getInputProps('weight')}
          label={t('field.weight')}
          placeholder={tag.weight === undefined ? t('tag.mixed') : String(tag.weight)}
        />
      </div>
      <div>
        <span className={classes.label}>{t('tag.concerned', { count })}</span>
        <ul className={classes.concerned}>
          {tag.channels.map((channel) => (
            <li key={channel.id}>
              #{channel.id} {channel.name}
              {form.isChanged && (
                <DiffView
                  kind="rows"
                  label={channel.name}
                  rows={tagEffects(draft, tag.tag, channel).map(({ field, ...sides }) => ({
                    name: labels[field],
                    ...sides,
                  }))}
                />
              )}
            </li>
          ))}
        </ul>
      </div>
    </FormDrawer>
  );
}
