/** Saved chat links: as a table with a preview, or as the JSON that is stored. */
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import { useStatus } from '../../../session/status.ts';
import { OptionField } from '../option-field.tsx';
import { SaveSection } from '../save-section.tsx';
import type { SectionBodyProps } from '../section-part.ts';
import { useOption } from '../settings-context.tsx';
import { type ChatLink, chatLinksOf, chatLinksText, previewOf } from './chat-links.ts';
import { type EditMode, ModeSwitch } from './mode-switch.tsx';
import classes from './operation.module.css';

export function ChatsSection({ section, sought }: SectionBodyProps) {
  const { t } = useTranslation('settings');
  const [mode, setMode] = useState<EditMode>('table');
  const option = useOption('Chats');
  return (
    <>
      <ModeSwitch label={t('mode.label')} mode={mode} onChange={setMode} />
      {mode === 'table' ? (
        <ChatsTable />
      ) : (
        section.fields.map((field) => (
          <OptionField key={field.key} field={field} isLockSaid isSought={field.key === sought} />
        ))
      )}
      {option && !option.isLocked && <SaveSection section={section} />}
    </>
  );
}

function ChatsTable() {
  const { t } = useTranslation(['settings', 'settings-fields', 'frame']);
  const option = useOption('Chats');
  const status = useStatus();
  if (!option) return null;
  const links = chatLinksOf(option.text);
  if (!links) return <p className={classes.problem}>{t('mode.broken')}</p>;
  const { isLocked } = option;
  const put = (next: readonly ChatLink[]) => option.set(chatLinksText(next));
  const edit = (at: number, change: Partial<ChatLink>) =>
    put(links.map((link, place) => (place === at ? { ...link, ...change } : link)));
  const swap = (at: number, other: number) => {
    const [here, there] = [links[at], links[other]];
    if (!here || !there) return;
    put(links.map((link, place) => (place === at ? there : place === other ? here : link)));
  };
  const address = status?.server_address || window.location.origin;
  return (
    <>
      <p className={classes.line}>{t('settings-fields:help.chats')}</p>
      <p className={classes.line}>{t('settings-fields:warning.chats')}</p>
      {links.length > 0 && (
        <div className={classes.table}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('chats.name')}</th>
                <th scope="col">{t('chats.link')}</th>
                <th scope="col">{t('chats.acts')}</th>
              </tr>
            </thead>
            <tbody className={classes.tall}>
              {links.map((link, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a link has no name but its place, which typing keeps.
                <tr key={at}>
                  <td>
                    <TextInput
                      aria-label={t('chats.nameOf', { place: at + 1 })}
                      value={link.name}
                      readOnly={isLocked}
                      onChange={(event) => edit(at, { name: event.currentTarget.value })}
                    />
                  </td>
                  <td>
                    <TextInput
                      aria-label={t('chats.linkOf', { place: at + 1 })}
                      value={link.link}
                      readOnly={isLocked}
                      onChange={(event) => edit(at, { link: event.currentTarget.value })}
                      onBlur={option.check}
                    />
                    {link.link !== '' && <div className={classes.preview}>{previewOf(link.link, address)}</div>}
                  </td>
                  <td>
                    {!isLocked && (
                      <div className={classes.icons}>
                        <ActionIcon
                          aria-label={t('chats.up', { place: at + 1 })}
                          disabled={at === 0}
                          onClick={() => swap(at, at - 1)}
                        >
                          <IconArrowUp size={16} stroke={1.75} />
                        </ActionIcon>
                        <ActionIcon
                          aria-label={t('chats.down', { place: at + 1 })}
                          disabled={at === links.length - 1}
                          onClick={() => swap(at, at + 1)}
                        >
                          <IconArrowDown size={16} stroke={1.75} />
                        </ActionIcon>
                        <ActionIcon
                          aria-label={t('chats.remove', { place: at + 1 })}
                          onClick={() => put(links.filter((_, place) => place !== at))}
                        >
                          <IconTrash size={16} stroke={1.75} />
                        </ActionIcon>
                      </div>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {option.complaint !== undefined && <p className={classes.problem}>{option.complaint}</p>}
      {!isLocked && (
        <div className={classes.acts}>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
            onClick={() => put([...links, { name: '', link: '' }])}
          >
            {t('frame:action.add')}
          </Button>
        </div>
      )}
    </>
  );
}
