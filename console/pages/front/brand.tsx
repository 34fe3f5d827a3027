/** Mark and name of the site, with the mark's place kept while it loads. */
import classes from './brand.module.css';

export function Brand({ logo, name }: { logo: string; name: string }) {
  return (
    <div className={classes.brand}>
      <img src={logo === '' ? '/logo.svg' : logo} alt="" width={32} height={32} className={classes.mark} />
      <span className={classes.name}>{name}</span>
    </div>
  );
}
