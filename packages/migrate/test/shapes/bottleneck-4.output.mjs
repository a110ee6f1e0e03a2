import Bottleneck from 'bottleneck';

// TODO(ebb): bottleneck stays here: `limiter.on` has no counterpart
const limiter = new Bottleneck({ maxConcurrent: 1, minTime: 2000 });

limiter.on('failed', async (error, jobInfo) => {
  console.warn(`job ${jobInfo.options.id} failed: ${error}`);
  if (jobInfo.retryCount < 2) return 2000;
});

limiter.on('idle', () => console.log('all done'));

export const player = (name) => limiter.schedule({ id: name, priority: 4 }, () => fetch(`https://api.example.com/${name}`));
