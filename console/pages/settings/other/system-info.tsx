/** Version and start of the daemon, and whether there is a newer release. */
import { Anchor, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { formatTime } from '../../../components/format.ts';
import { RichText } from '../../../components/rich-text.tsx';
import { Dialog } from '../../../components/section.tsx';
import { toast } from '../../../components/toast.ts';
import { useStatus } from '../../../session/status.ts';
import classes from './other.module.css';
import { isNewer, latestRelease } from './release-check.ts';

export function SystemInfo() {
  const { t } = useTranslation(['settings', 'frame']);
  const status = useStatus();
  const version = status?.version ?? '';
  const check = useMutation({
    mutationFn: () => latestRelease(),
    onSuccess: (release) => {
      if (!isNewer(release.version, version)) toast.success(t('info.current', { version }));
    },
    onError: () => toast.error(t('info.failed')),
  });
  if (!status) return null;
  const release = check.data && isNewer(check.data.version, version) ? check.data : undefined;
  return (
    <>
      <dl className={classes.facts}>
        <dt>{t('info.version')}</dt>
        <dd>{version}</dd>
        <dt>{t('info.started')}</dt>
        <dd>{formatTime(status.start_time)}</dd>
      </dl>
      <div className={classes.acts}>
        <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
          {t('info.check')}
        </Button>
      </div>
      {release && (
        <Dialog
          opened
          onClose={() => check.reset()}
          title={t('info.newer', { version: release.version })}
          size={720}
          footer={
            <Anchor href={release.address} target="_blank" rel="noopener">
              {t('info.open')}
            </Anchor>
          }
        >
          <div className={classes.item}>
            <p>{t('info.installed', { version })}</p>
            {release.notes !== '' && <RichText text={release.notes} />}
          </div>
        </Dialog>
      )}
    </>
  );
}
