/** Which rule a call would meet: asked of the daemon, by the rules that calls are charged by. */
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { useFailures } from '../../../api/failures.ts';
import classes from './prices.module.css';
import { insight, userIdOf } from './rate-rule-calls.ts';

export function RateTester() {
  const { t } = useTranslation('settings-price-work');
  const failure = useFailures();
  const [user, setUser] = useState('');
  const [token, setToken] = useState('');
  const [model, setModel] = useState('');
  const [verdict, setVerdict] = useState<{ readonly text: string; readonly isProblem: boolean }>();
  const [isAsking, setAsking] = useState(false);
  const complain = (text: string) => setVerdict({ text, isProblem: true });
  const ask = async (event: FormEvent) => {
    event.preventDefault();
    if (model.trim() === '') return complain(t('tester.missing'));
    // Left out, it would be a verdict on other calls than were asked about.
    if (!/^(?:[1-9]\d{0,8})?$/.test(token.trim())) return complain(t('tester.badKey'));
    setAsking(true);
    try {
      const userId = user.trim() === '' ? null : await userIdOf(user.trim());
      if (userId === undefined) return complain(t('rates.noUser', { name: user.trim() }));
      const { rate_rule: won } = await insight.explain({
        model: model.trim(),
        user_id: userId,
        token_id: token.trim() === '' ? null : Number(token),
      });
      const text = won ? t('tester.wins', { rule: won.rule, ratio: won.ratio }) : t('tester.none');
      setVerdict({ text, isProblem: false });
    } catch (error) {
      const told = failure(error);
      if (told !== undefined) complain(told);
    } finally {
      setAsking(false);
    }
  };
  return (
    <form className={classes.form} aria-label={t('tester.title')} onSubmit={(event) => void ask(event)}>
      <strong>{t('tester.title')}</strong>
      <div className={classes.acts}>
        <TextInput
          className={classes.grow ?? ''}
          label={t('rates.user')}
          value={user}
          onChange={(event) => setUser(event.currentTarget.value)}
          autoComplete="off"
        />
        <TextInput
          className={classes.grow ?? ''}
          label={t('rates.token')}
          inputMode="numeric"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          autoComplete="off"
        />
        <TextInput
          className={classes.grow ?? ''}
          label={t('rates.model')}
          value={model}
          onChange={(event) => setModel(event.currentTarget.value)}
          autoComplete="off"
        />
        <Button type="submit" variant="default" loading={isAsking}>
          {t('tester.act')}
        </Button>
      </div>
      {verdict && (
        <p className={verdict.isProblem ? classes.problem : classes.hint} role={verdict.isProblem ? 'alert' : 'status'}>
          {verdict.text}
        </p>
      )}
    </form>
  );
}
