/** What the site stands on, one line: database, Redis, mail, version, what waits and what was lost. */
import { useTranslation } from 'react-i18next';
import type { SystemView } from '../../../daemon/contract/system.ts';
import { formatInteger } from '../../components/format.ts';
import { Tag } from '../../components/tag.tsx';
import classes from './health.module.css';
import { type Level, levelOf, levelTone, limits, redisState } from './health-levels.ts';

const engineNames = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
const redisLevels = { connected: 'good', lost: 'bad', off: 'none' } as const;

export function Dependencies({ system }: { readonly system: SystemView }) {
  const { t } = useTranslation('health');
  const { database, mail, nodes, version } = system;
  const redis = redisState(nodes);
  const lost = nodes.reduce((sum, { lost_texts }) => sum + lost_texts, 0);
  const holds = nodes.reduce((sum, { open_holds }) => sum + open_holds, 0);
  const hasOtherVersion = nodes.some((node) => node.alive && node.version !== version);
  const { fair, bad } = limits.databaseMs;
  const databaseLevel: Level = database.reachable ? levelOf(database.ms, limits.databaseMs) : 'bad';
  const items: readonly { key: string; name: string; value: string; level: Level; title?: string }[] = [
    {
      key: 'database',
      name: t('part.database'),
      value: `${engineNames[database.engine]} · ${database.reachable ? `${database.ms} ms` : t('state.unreachable')}`,
      level: databaseLevel,
      title: t('limits.most', { fair, bad, unit: ' ms' }),
    },
    { key: 'redis', name: 'Redis', value: t(`redis.${redis}`), level: redisLevels[redis] },
    {
      key: 'mail',
      name: t('part.mail'),
      value: mail ? t('state.configured') : t('state.notConfigured'),
      level: mail ? 'good' : 'fair',
    },
    {
      key: 'version',
      name: t('part.version'),
      value: hasOtherVersion ? t('state.versionsDiffer', { version }) : version,
      level: hasOtherVersion ? 'fair' : 'good',
    },
    { key: 'holds', name: t('part.holds'), value: formatInteger(holds), level: 'none', title: t('part.holdsHint') },
    {
      key: 'lost',
      name: t('part.lost'),
      value: formatInteger(lost),
      level: lost === 0 ? 'good' : 'bad',
      title: t('part.lostHint'),
    },
  ];
  return (
    <dl className={classes.parts}>
      {items.map(({ key, name, value, level, title }) => (
        <div key={key} className={classes.part}>
          <dt>{name}</dt>
          <dd>
            <Tag tone={levelTone[level]} dot title={[t(`level.${level}`), ...(title ? [title] : [])].join(' · ')}>
              {value}
            </Tag>
          </dd>
        </div>
      ))}
    </dl>
  );
}
