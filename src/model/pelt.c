/*
 * The geometric series of per-entity load tracking (design §4.1).
 *
 * The table of y^n, y^32 = ½, is reproduced from its definition: truncated to
 * 32 bits, it is the kernel's to the bit.
 */
#include "model/pelt.h"

#define PERIOD 1024

static const uint32_t inverse[32] = {0xffffffff, 0xfa83b2da, 0xf5257d14, 0xefe4b99a, 0xeac0c6e6,
	0xe5b906e6, 0xe0ccdeeb, 0xdbfbb796, 0xd744fcc9, 0xd2a81d91, 0xce248c14, 0xc9b9bd85,
	0xc5672a10, 0xc12c4cc9, 0xbd08a39e, 0xb8fbaf46, 0xb504f333, 0xb123f581, 0xad583ee9,
	0xa9a15ab4, 0xa5fed6a9, 0xa2704302, 0x9ef5325f, 0x9b8d39b9, 0x9837f050, 0x94f4efa8,
	0x91c3d373, 0x8ea4398a, 0x8b95c1e3, 0x88980e80, 0x85aac367, 0x82cd8698};

uint64_t rwk_pelt_decay(uint64_t value, uint64_t periods)
{
	if (periods > 2016)
		return 0;
	value >>= periods / 32;
	return (uint64_t)(((unsigned __int128)value * inverse[periods % 32]) >> 32);
}

bool rwk_pelt_update(struct rwk_pelt *p, rwk_ns now, const struct rwk_pelt_input *in)
{
	uint64_t delta, periods, contrib;
	uint32_t rest = p->period_contrib;
	struct rwk_pelt_input is = *in;

	if (p->last == RWK_NS_NONE || now < p->last) {
		p->last = now;
		return false;
	}
	delta = (uint64_t)(now - p->last) >> 10;
	if (!delta)
		return false;
	p->last += (rwk_ns)(delta << 10);
	if (!is.load) {
		is.runnable = 0;
		is.running = false;
	}
	delta += rest;
	periods = delta / PERIOD;
	if (periods) {
		p->load_sum = rwk_pelt_decay(p->load_sum, periods);
		p->runnable_sum = rwk_pelt_decay(p->runnable_sum, periods);
		p->util_sum = (uint32_t)rwk_pelt_decay(p->util_sum, periods);
		delta %= PERIOD;
		contrib = rwk_pelt_decay(PERIOD - rest, periods) +
			  (RWK_PELT_MAX - rwk_pelt_decay(RWK_PELT_MAX, periods) - PERIOD) + delta;
	} else {
		contrib = delta - rest;
	}
	p->period_contrib = (uint32_t)delta;
	p->load_sum += is.load * contrib;
	p->runnable_sum += is.runnable * contrib << 10;
	if (is.running)
		p->util_sum += (uint32_t)(contrib << 10);
	return periods > 0;
}

void rwk_pelt_refresh(struct rwk_pelt *p, uint64_t weight)
{
	uint64_t divider = rwk_pelt_divider(p);

	p->load_avg = (uint32_t)(weight * p->load_sum / divider);
	p->runnable_avg = (uint32_t)(p->runnable_sum / divider);
	p->util_avg = (uint32_t)(p->util_sum / divider);
}
