package foragers;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Multimap;
import com.google.common.collect.TreeMultimap;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Provides;
import com.google.inject.TypeLiteral;
import java.util.List;
import java.util.Map;
import javax.inject.Inject;
import javax.inject.Singleton;

/** Makes the kind of objects that real referees make before their first question. */
public final class Libraries {
    static final class Grove {
        final List<Integer> berries = List.of(3, 1, 2);
        final Map<String, String> names = ImmutableMap.of("0", "hazel", "1", "elder");
    }

    static final class Keeper {
        final Grove grove;
        final Gson gson;

        @Inject
        Keeper(Grove grove, Gson gson) {
            this.grove = grove;
            this.gson = gson;
        }
    }

    static final class Plan extends AbstractModule {
        @Override
        protected void configure() {
            bind(Grove.class).in(Singleton.class);
            bind(new TypeLiteral<List<String>>() {}).toInstance(Splitter.on(',').splitToList("a,b,c"));
        }

        @Provides
        @Singleton
        Gson gson() {
            return new GsonBuilder().disableHtmlEscaping().create();
        }
    }

    private Libraries() {}

    /** Puts a few objects together and writes them as JSON. */
    public static void load() {
        Injector injector = Guice.createInjector(new Plan());
        Keeper keeper = injector.getInstance(Keeper.class);
        Multimap<Integer, String> byBerries = TreeMultimap.create();
        keeper.grove.names.forEach((number, name) -> byBerries.put(keeper.grove.berries.get(Integer.parseInt(number)), name));
        String json = keeper.gson.toJson(keeper.grove);
        if (keeper.gson.fromJson(json, Grove.class).berries.size() != byBerries.size() + 1) throw new AssertionError(json);
    }
}
