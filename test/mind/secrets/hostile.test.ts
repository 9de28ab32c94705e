import { hostileTexts } from './hostile.ts';

hostileTexts(1 << 16);
