/* A window that compares two FASTA files: choose them, watch or cancel the call, and see the longest
 * common subsequence as a dot plot.
 *
 *     cc dotplot.c $(pkg-config --cflags --libs swath gtk4) -o dotplot
 *     ./dotplot [a.fasta b.fasta]
 */
#include <gtk/gtk.h>

#include "swath.h"

typedef struct {
    GtkWidget *window, *buttons[2], *start, *cancel, *bar, *label, *plot;
    GBytes *bases[2];
    swath_engine *engine;
    swath_job *job;
    swath_answer *answer;
    guint timer;
} App;

static void say_error(App *app) {
    gtk_label_set_text(GTK_LABEL(app->label), swath_error_message());
    g_printerr("%s\n", swath_error_message());
}

/* The bases of all records of a FASTA file. */
static GBytes *bases_of(const char *text, gsize len) {
    GByteArray *bases = g_byte_array_sized_new((guint)len);
    gboolean is_header = FALSE;
    for (gsize i = 0; i < len; i++) {
        if (text[i] == '>')
            is_header = TRUE;
        if (!is_header && g_ascii_isalpha(text[i])) {
            guint8 base = (guint8)g_ascii_toupper(text[i]);
            g_byte_array_append(bases, &base, 1);
        }
        if (text[i] == '\n')
            is_header = FALSE;
    }
    return g_byte_array_free_to_bytes(bases);
}

static void load(App *app, int which, GFile *file) {
    char *text = NULL, *name = g_file_get_basename(file);
    gsize len = 0;
    GError *error = NULL;
    if (g_file_load_contents(file, NULL, &text, &len, NULL, &error)) {
        g_clear_pointer(&app->bases[which], g_bytes_unref);
        app->bases[which] = bases_of(text, len);
        char *label = g_strdup_printf("%s, %zu bases", name, g_bytes_get_size(app->bases[which]));
        gtk_button_set_label(GTK_BUTTON(app->buttons[which]), label);
        g_free(label);
        g_free(text);
    } else {
        gtk_label_set_text(GTK_LABEL(app->label), error->message);
        g_error_free(error);
    }
    g_free(name);
    gtk_widget_set_sensitive(app->start, app->bases[0] && app->bases[1]);
}

static void on_chosen(GtkNativeDialog *dialog, int response, gpointer user) {
    App *app = user;
    int which = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(dialog), "which"));
    if (response == GTK_RESPONSE_ACCEPT) {
        GFile *file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
        load(app, which, file);
        g_object_unref(file);
    }
    g_object_unref(dialog);
}

static void on_choose(GtkButton *button, gpointer user) {
    App *app = user;
    GtkFileChooserNative *dialog = gtk_file_chooser_native_new(
        "FASTA file", GTK_WINDOW(app->window), GTK_FILE_CHOOSER_ACTION_OPEN, NULL, NULL);
    int which = GTK_WIDGET(button) == app->buttons[1];
    g_object_set_data(G_OBJECT(dialog), "which", GINT_TO_POINTER(which));
    g_signal_connect(dialog, "response", G_CALLBACK(on_chosen), app);
    gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void set_running(App *app, gboolean is_running) {
    gtk_widget_set_sensitive(app->start, !is_running);
    gtk_widget_set_sensitive(app->cancel, is_running);
}

static void show_answer(App *app) {
    uint64_t length;
    swath_run_record record = {.size = sizeof record};
    if (swath_answer_length(app->answer, &length) != SWATH_OK ||
        swath_answer_run(app->answer, &record) != SWATH_OK) {
        say_error(app);
        return;
    }
    char *text = g_strdup_printf("%" G_GUINT64_FORMAT " common bases, %s on %s in %.2f s", length,
                                 record.method, record.device, record.seconds);
    gtk_label_set_text(GTK_LABEL(app->label), text);
    g_print("%s\n", text);
    g_free(text);
    gtk_widget_queue_draw(app->plot);
}

/* Looks at the job between two frames; the main loop never waits for it. */
static gboolean on_timer(gpointer user) {
    App *app = user;
    swath_progress progress = {.size = sizeof progress};
    if (swath_job_progress(app->job, &progress) == SWATH_OK)
        gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(app->bar), progress.fraction);
    swath_status status = swath_job_poll(app->job, &app->answer);
    if (status == SWATH_RUNNING)
        return G_SOURCE_CONTINUE;
    if (status == SWATH_OK)
        show_answer(app);
    else
        say_error(app);
    g_clear_pointer(&app->job, swath_job_free);
    set_running(app, FALSE);
    app->timer = 0;
    return G_SOURCE_REMOVE;
}

static void on_start(GtkButton *button, gpointer user) {
    (void)button;
    App *app = user;
    swath_symbols sequences[2];
    for (int which = 0; which < 2; which++) {
        gsize len;
        const void *bases = g_bytes_get_data(app->bases[which], &len);
        sequences[which] = swath_bytes(bases, len);
    }
    swath_lcs_options options = {.size = sizeof options, .flags = SWATH_PATH};
    swath_query *query = NULL;
    g_clear_pointer(&app->answer, swath_answer_free);
    gtk_widget_queue_draw(app->plot);
    if (swath_query_lcs(&sequences[0], &sequences[1], &options, &query) != SWATH_OK ||
        swath_start(app->engine, query, NULL, &app->job) != SWATH_OK) {
        say_error(app);
    } else {
        gtk_label_set_text(GTK_LABEL(app->label), "comparing ...");
        set_running(app, TRUE);
        app->timer = g_timeout_add(50, on_timer, app);
    }
    swath_query_free(query);
}

static void on_cancel(GtkButton *button, gpointer user) {
    (void)button;
    App *app = user;
    swath_job_cancel(app->job);
}

static void draw(GtkDrawingArea *area, cairo_t *cairo, int width, int height, gpointer user) {
    (void)area;
    App *app = user;
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    const swath_block *blocks;
    size_t len;
    if (!app->answer || swath_answer_blocks(app->answer, &blocks, &len) != SWATH_OK)
        return;
    double x = width / (double)g_bytes_get_size(app->bases[0]);
    double y = height / (double)g_bytes_get_size(app->bases[1]);
    cairo_set_source_rgb(cairo, 0, 0.4, 0.8);
    cairo_set_line_width(cairo, 2);
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    for (size_t i = 0; i < len; i++) {
        /* Runs that are nearer than a pixel are drawn as one. */
        const swath_block *first = &blocks[i];
        while (i + 1 < len && (double)(blocks[i + 1].a - first->a) * x < 1)
            i++;
        cairo_move_to(cairo, (double)first->a * x, (double)first->b * y);
        cairo_line_to(cairo, (double)(blocks[i].a + blocks[i].len) * x,
                      (double)(blocks[i].b + blocks[i].len) * y);
    }
    cairo_stroke(cairo);
}

static GtkWidget *button(const char *label, GCallback clicked, App *app) {
    GtkWidget *button = gtk_button_new_with_label(label);
    g_signal_connect(button, "clicked", clicked, app);
    return button;
}

/* Creates the window once. */
static void on_activate(GtkApplication *application, gpointer user) {
    App *app = user;
    if (app->window)
        return;
    GtkWidget *column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    GtkWidget *files = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *call = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    app->window = gtk_application_window_new(application);
    app->buttons[0] = button("First file", G_CALLBACK(on_choose), app);
    app->buttons[1] = button("Second file", G_CALLBACK(on_choose), app);
    app->start = button("Compare", G_CALLBACK(on_start), app);
    app->cancel = button("Cancel", G_CALLBACK(on_cancel), app);
    app->bar = gtk_progress_bar_new();
    app->label = gtk_label_new("choose two FASTA files");
    app->plot = gtk_drawing_area_new();
    for (int which = 0; which < 2; which++)
        gtk_box_append(GTK_BOX(files), app->buttons[which]);
    gtk_box_append(GTK_BOX(call), app->start);
    gtk_box_append(GTK_BOX(call), app->cancel);
    gtk_box_append(GTK_BOX(call), app->bar);
    gtk_box_append(GTK_BOX(column), files);
    gtk_box_append(GTK_BOX(column), call);
    gtk_box_append(GTK_BOX(column), app->label);
    gtk_box_append(GTK_BOX(column), app->plot);
    gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(app->plot), draw, app, NULL);
    gtk_widget_set_size_request(app->plot, 600, 600);
    gtk_widget_set_vexpand(app->plot, TRUE);
    gtk_widget_set_hexpand(app->bar, TRUE);
    gtk_widget_set_valign(app->bar, GTK_ALIGN_CENTER);
    gtk_widget_set_margin_top(column, 8);
    gtk_widget_set_margin_bottom(column, 8);
    gtk_widget_set_margin_start(column, 8);
    gtk_widget_set_margin_end(column, 8);
    set_running(app, FALSE);
    gtk_widget_set_sensitive(app->start, FALSE);
    gtk_window_set_title(GTK_WINDOW(app->window), "swath");
    gtk_window_set_child(GTK_WINDOW(app->window), column);
    gtk_window_present(GTK_WINDOW(app->window));
}

/* Files of the command line are compared at once. */
static void on_open(GApplication *application, GFile **files, int count, char *hint, gpointer user) {
    (void)hint;
    App *app = user;
    on_activate(GTK_APPLICATION(application), user);
    for (int which = 0; which < count && which < 2; which++)
        load(app, which, files[which]);
    if (app->bases[0] && app->bases[1])
        on_start(NULL, user);
}

int main(int argc, char **argv) {
    App app = {0};
    swath_engine_options options = {.size = sizeof options, .slice_ms = 8};
    if (swath_engine_new(&options, &app.engine) != SWATH_OK) {
        g_printerr("%s\n", swath_error_message());
        return 1;
    }
    GtkApplication *application =
        gtk_application_new(NULL, G_APPLICATION_HANDLES_OPEN | G_APPLICATION_NON_UNIQUE);
    g_signal_connect(application, "activate", G_CALLBACK(on_activate), &app);
    g_signal_connect(application, "open", G_CALLBACK(on_open), &app);
    int status = g_application_run(G_APPLICATION(application), argc, argv);
    if (app.timer)
        g_source_remove(app.timer);
    g_object_unref(application);
    swath_job_free(app.job);
    swath_answer_free(app.answer);
    for (int which = 0; which < 2; which++)
        g_clear_pointer(&app.bases[which], g_bytes_unref);
    swath_engine_free(app.engine);
    return status;
}
