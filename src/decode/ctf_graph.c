/*
 * Reads a CTF trace with libbabeltrace2, in a child process: it aborts on some
 * damaged traces.  Twice: once the beginning of each stream, for the CPUs and the
 * descriptions, then all streams as one in the order of time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "decode/ctf_read.h"

const bool rwk_ctf_built = true;

/* One stream of the first reading. */
struct scan {
	struct rwk_ctf_reader *r;
	bool done;
};

static bt_graph_simple_sink_component_consume_func_status status_of(int ret)
{
	return ret > 0          ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK
	       : !ret           ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END
	       : ret == -ENOMEM ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_MEMORY_ERROR
				: BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
}

static bt_graph_simple_sink_component_consume_func_status consume(
	bt_message_iterator *it, void *ctx)
{
	bool packet = false;

	return status_of(rwk_ctf_reader_take(ctx, it, &packet));
}

/* A stream until its first packet has begun. */
static bt_graph_simple_sink_component_consume_func_status consume_beginning(
	bt_message_iterator *it, void *ctx)
{
	struct scan *s = ctx;
	bool packet = false;
	int ret = s->done ? 0 : rwk_ctf_reader_take(s->r, it, &packet);

	s->done |= packet;
	return status_of(ret > 0 && packet ? 0 : ret);
}

/* Only what the system has installed, whatever the environment or the user's home says. */
static const bt_plugin *find_plugin(struct rwk_ctf_reader *r, const char *name)
{
	const bt_plugin *plugin = NULL;

	if (bt_plugin_find(name, BT_FALSE, BT_FALSE, BT_TRUE, BT_FALSE, BT_FALSE, &plugin) ==
		BT_PLUGIN_FIND_STATUS_OK)
		return plugin;
	rwk_ctf_out_cause(&r->out, "no plugin of libbabeltrace2 named ");
	rwk_ctf_out_cause(&r->out, name);
	return NULL;
}

static bt_value *make_params(const char *folder)
{
	bt_value *params = bt_value_map_create(), *inputs = NULL;

	if (!params ||
		bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) !=
			BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK ||
		bt_value_array_append_string_element(inputs, folder) !=
			BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK) {
		bt_value_put_ref(params);
		return NULL;
	}
	return params;
}

static const bt_component_source *add_source(
	bt_graph *graph, const bt_plugin *ctf, const char *folder)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs");
	const bt_component_source *source = NULL;
	bt_value *params = make_params(folder);

	if (class && params &&
		bt_graph_add_source_component(graph, class, "trace", params, BT_LOGGING_LEVEL_NONE,
			&source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		source = NULL;
	bt_value_put_ref(params);
	return source;
}

static bool connect(bt_graph *graph, const bt_port_output *from, const bt_port_input *to)
{
	return bt_graph_connect_ports(graph, from, to, NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
}

static const bt_component_sink *add_sink(bt_graph *graph, const char *name,
	bt_graph_simple_sink_component_consume_func consumer, void *ctx)
{
	const bt_component_sink *sink = NULL;

	if (bt_graph_add_simple_sink_component(graph, name, NULL, consumer, NULL, ctx, &sink) !=
		BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		return NULL;
	return sink;
}

static bool run_graph(bt_graph *graph)
{
	return bt_graph_run(graph) == BT_GRAPH_RUN_STATUS_OK;
}

/* Each stream to a sink of its own. */
static bool scan_trace(struct rwk_ctf_reader *r, const bt_plugin *ctf, const char *folder)
{
	bt_graph *graph = bt_graph_create(0);
	const bt_component_source *source = graph ? add_source(graph, ctf, folder) : NULL;
	uint64_t nr = source ? bt_component_source_get_output_port_count(source) : 0;
	struct scan *scan = calloc(nr + 1, sizeof(*scan));
	bool good = source && scan;

	r->scanning = true;
	if (source && !nr)
		good = !rwk_ctf_reader_fail(r, "there is nothing in its streams");
	for (uint64_t i = 0; i < nr && good; i++) {
		const bt_component_sink *sink;
		char name[32];

		scan[i].r = r;
		snprintf(name, sizeof(name), "stream%llu", (unsigned long long)i);
		sink = add_sink(graph, name, consume_beginning, &scan[i]);
		good = sink &&
		       connect(graph,
			       bt_component_source_borrow_output_port_by_index_const(source, i),
			       bt_component_sink_borrow_input_port_by_index_const(sink, 0));
	}
	good = good && run_graph(graph);
	bt_graph_put_ref(graph);
	free(scan);
	r->scanning = false;
	r->stream = NULL;
	rwk_map_finish(&r->classes);
	rwk_map_finish(&r->streams);
	r->nr_classes = 0;
	return good;
}

/* All streams to one sink, in the order of time. */
static bool read_trace(
	struct rwk_ctf_reader *r, const bt_plugin *ctf, const bt_plugin *utils, const char *folder)
{
	const bt_component_class_filter *class =
		bt_plugin_borrow_filter_component_class_by_name_const(utils, "muxer");
	bt_graph *graph = bt_graph_create(0);
	const bt_component_source *source = graph ? add_source(graph, ctf, folder) : NULL;
	uint64_t nr = source ? bt_component_source_get_output_port_count(source) : 0;
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;
	bool good = source && class &&
		    bt_graph_add_filter_component(graph, class, "muxer", NULL,
			    BT_LOGGING_LEVEL_NONE, &muxer) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;

	for (uint64_t i = 0; i < nr && good; i++)
		good = connect(graph,
			bt_component_source_borrow_output_port_by_index_const(source, i),
			bt_component_filter_borrow_input_port_by_index_const(muxer, i));
	if (good)
		sink = add_sink(graph, "events", consume, r);
	good = sink &&
	       connect(graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
		       bt_component_sink_borrow_input_port_by_index_const(sink, 0)) &&
	       run_graph(graph);
	bt_graph_put_ref(graph);
	return good;
}

/* What the library says went wrong, its first cause, which is the innermost. */
static void tell_error(struct rwk_ctf_reader *r)
{
	const bt_error *error = bt_current_thread_take_error();

	if (!error)
		return;
	if (bt_error_get_cause_count(error))
		rwk_ctf_out_cause(&r->out,
			bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
	bt_error_release(error);
}

/* Streams are many, and each is a file. */
static void allow_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

int rwk_ctf_read(const char *folder, int fd)
{
	struct rwk_ctf_reader *r = calloc(1, sizeof(*r));
	const bt_plugin *ctf, *utils;
	bool good = false;

	if (!r)
		return -ENOMEM;
	r->out.fd = fd;
	/* The library takes paths of plugins and more from there. */
	clearenv();
	allow_files();
	ctf = find_plugin(r, "ctf");
	utils = ctf ? find_plugin(r, "utils") : NULL;
	if (utils)
		good = scan_trace(r, ctf, folder);
	if (good) {
		rwk_ctf_out_add(&r->out, RWK_CTF_READY);
		rwk_ctf_out_flush(&r->out);
		good = read_trace(r, ctf, utils, folder);
		rwk_ctf_reader_counts(r);
	}
	if (good)
		rwk_ctf_out_add(&r->out, RWK_CTF_END);
	else
		tell_error(r);
	rwk_ctf_out_flush(&r->out);
	bt_plugin_put_ref(ctf);
	bt_plugin_put_ref(utils);
	rwk_map_finish(&r->classes);
	rwk_map_finish(&r->streams);
	free(r->class);
	free(r);
	return good ? 0 : -1;
}
