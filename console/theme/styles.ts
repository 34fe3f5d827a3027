/** Style sheets that every page needs; a part of the kit brings its own where it is first used. */
import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import 'virtual:theme.css';
import './global.css';
