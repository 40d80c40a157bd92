//! Pages in the manner of real ones, written for the tests, and pieces to make more of.

/// Pages: what each is, how many metas with a name or an http-equiv its head has, and its text.
#[rustfmt::skip] // a page is read as it is written
pub const PAGES: &[(&str, usize, &str)] = &[
    ("boilerplate", 4, r##"<!doctype html>
<html class="no-js" lang="">
<head>
  <meta charset="utf-8">
  <title>A page &amp; its title</title>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="description" content="Nothing &mdash; or less">
  <meta property="og:title" content="">
  <link rel="icon" href="/icon.svg" type="image/svg+xml">
  <meta name="theme-color" content="#fafafa">
  <meta name="robots" content="noindex, nofollow">
</head>
<body>
  <meta name="robots" content="all">
  <p>Hello.</p>
  <script src="js/app.js"></script>
</body>
</html>
"##),
    ("weblog with many plugins", 7, r#"<!DOCTYPE html>
<html lang="de-DE" prefix="og: https://ogp.me/ns#">
<head>
<meta charset="UTF-8" />
<meta name="viewport" content="width=device-width" />
<link rel="profile" href="http://gmpg.org/xfn/11" />
<title>Blog &#8211; Grüße &raquo; Feed</title>
<meta name='robots' content='index, follow, max-image-preview:large, max-snippet:-1' />
	<style>img:is([sizes="auto" i]) { contain-intrinsic-size: 3000px 1500px } a > b {}</style>
	<!-- This site is optimized - https://example.com/<meta name="x"> -->
	<meta name="description" content="Gr&uuml;&szlig;e &#8222;aus&#8220; K&ouml;ln &hellip;" />
	<script type="application/ld+json" class="schema-graph">{"@context":"https://schema.org","name":"<meta name=\"robots\">"}</script>
<script>
/* <![CDATA[ */
window._settings = {"svg":"<svg><\/svg>"};
!function(e){var t="<!-- <script>";document.write("<scr"+"ipt><\/scr"+"ipt>")}(window); // -->
/* ]]> */
</script>
<style id='emoji-inline-css'>
img.emoji:after { content: "</title><meta name=css>" }
</style>
<noscript><style>.grid { opacity: 1 }</style></noscript>
<link rel="https://api.w.org/" href="https://example.com/wp-json/" /><meta name="generator" content="Press 6.1" />
<!-- Pixel --><noscript><img height="1" width="1" style="display:none" src="https://example.net/tr?id=1&ev=View&noscript=1"/></noscript><!-- end -->
<meta name="msapplication-TileImage" content="https://example.com/a.png" />
<meta name="google-site-verification" content="ab_c-d" /><meta http-equiv="x-dns-prefetch-control" content="on">
</head>
<body class="home blog"><h1>Hi</h1></body></html>"#),
    ("conditional comments", 4, r#"<!DOCTYPE html>
<!--[if lt IE 7]>      <html class="no-js lt-ie9 lt-ie8 lt-ie7"> <![endif]-->
<!--[if gt IE 8]><!--> <html class="no-js"> <!--<![endif]-->
<head>
<!--[if IE]><meta name="comment" content="1"><![endif]-->
<![if !IE]><meta name="downlevel" content="1"><![endif]>
<meta http-equiv="X-UA-Compatible" content="IE=edge,chrome=1">
<!--[if lt IE 9]>
<script src="html5shiv.js"></script>
<meta name="comment" content="2">
<![endif]-->
<!-- a -- b ---> <meta name="after" content="3"> <!-->
<meta name="short" content="4"><!-- --!>
</head><body></body></html>"#),
    ("scripts with metas in strings", 3, r#"<!doctype html><html><head><title>Scripts</title>
<script>document.write('<meta name="a" content="1">');</script>
<script type="text/template"><meta name="b"><!-- <script src=x></script> <meta name="c"> --></script>
<meta name="first" content="1">
<script><!--
  if (a --> b || "</scripts>") document.write("<script>x<\/script>");
//--></script>
<meta name="second" content="2">
<SCRIPT LANGUAGE="JavaScript"><!-- hide
var s = "<script>"; </script> "; </SCRIPT>
<script async src="https://example.com/t.js?a=1&b=2"></script
><meta name="third" content="3"></head><body>"#),
    ("a title with entities", 2, r#"<html><head>
<title>&lt;meta name="robots" content="none"&gt; &copy; <!-- no comment --> <b>5 > 4</b></titles> AT&T</title>
<meta name="title" content="&lt;meta name=&quot;robots&quot;&gt; &copy 2020 AT&T &#x2014; a&nbsp;b &#150; &ampere">
<meta content="https://example.com/?a=1&copy=2&reg&para;x&lt" name="url"/>
</head><body></body></html>"#),
    ("noscript in head", 3, r#"<!DOCTYPE html><html><head>
<meta name="a" content="1">
<noscript><meta http-equiv="refresh" content="0; url=/nojs"></noscript>
<noscript><iframe src="https://example.com/ns.html?id=GTM-X" height="0" style="display:none"></iframe></noscript>
<noscript><link rel="stylesheet" href="a.css"><!-- </noscript>
<meta name="b" content="2"> --> <meta name="c" content="3">
</head><body><noscript><meta name="d"></noscript></body></html>"#),
    ("templates", 3, r#"<!DOCTYPE html><html><head><meta name="a" content="1">
<template id="row"><tr><td class="x">{{ name }}</td></tr><meta name="t1"></template>
<template><style>a::before { content: "</template>" }</style><template><meta name="t2"></template>
<p>text <svg viewBox="0 0 1 1"><title>x</title><path d="M0 0"/></svg><table><caption>c</caption></table><meta name="t3"></template>
<meta name="b" content="2"></head>
<template shadowrootmode="open"><slot></slot><meta name="t4"></template><meta name="c" content="3">
<body><template><meta name="t5"></template></body></html>"#),
    ("implied head and body", 3, "<title>Old</title>\n<meta name=author content=Me>\n\
<link rev=made href='mailto:me@example.com'>\n<meta name=keywords content=a,b,c>\n\
<base href=/x/><meta http-equiv=Refresh content=5;url=/y>\n<h1>Old</h1><meta name=body content=1>"),
    ("nothing but a body", 0, "Hello, <b>world</b>!\n<meta name=robots content=noindex>"),
    ("XHTML doctype", 5, r#"<?xml version="1.0" encoding="iso-8859-1"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1" />
<base href="http://example.org/"></base>
<link rel="stylesheet" href="a.css"></link>
<meta name="generator" content="CMS! - Open Source Content Management"/>
<meta name="a" content="1"></meta><meta name="b" content='2'/ ><meta name="c" content=3 />
<script type="text/javascript" src="a.js" />
<meta name="swallowed" content="by the script" />
//<![CDATA[
</script>
</head><body></body></html>"#),
    ("attributes in every manner", 9, "<html><head>\
<META NAME=ROBOTS CONTENT=NOINDEX,NOFOLLOW>\n<Meta Name='A' Content=\"1\">\
<meta\n\tname = \"b\"\n\tcontent\n=\n'line\r\nline'\r\n>\
<meta name=\"c\"content=\"3\"/><meta/name=d/content=4/>\
<meta name=e content=\"it's\" data-x='\"'><meta name=f content='a > b < c'>\
<meta content=\"x\" content=\"y\" NAME=g name=h><meta name='' content=no><meta content=no>\
<meta property=\"og:x\" name=\"i\" content=https://example.com/?a=b&c=d&e=f>\
</head><body>"),
    ("head without an end", 2, r#"<!DOCTYPE html>
<html><head><meta name="a" content="1"><title>No end</title>
<meta name="b" content="2">
<body onload="go()"><meta name="c" content="3"></body></html>"#),
    ("metas between head and body", 4, r#"<html><head><meta name="a" content="1"></head>
<!-- inserted by a proxy --><meta name="b" content="2">
<script>var a = "<body>";</script><style>b {}</style><title>late</title><link rel=x>
<head><meta name="c" content="3"></head></p><html lang=en>
<meta http-equiv="d" content="4">
<body><meta name="e"></body></html>"#),
    ("noscript between head and body", 1, r#"<html><head><meta name="a" content="1"></head>
<noscript><p>Please turn it on</p></noscript><meta name="b" content="2"><body></body></html>"#),
    ("frameset", 2, r#"<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Frameset//EN">
<HTML><HEAD><TITLE>Frames</TITLE><META NAME="robots" CONTENT="noindex">
<NOFRAMES><META NAME="n" CONTENT="0"></NOFRAMES><META NAME="a" CONTENT="1"></HEAD>
<FRAMESET COLS="20%,*"><META NAME="b"><FRAME SRC="a.html"><NOFRAMES><BODY>x</BODY></NOFRAMES></FRAMESET></HTML>"#),
    ("a byte-order mark", 1, "\u{FEFF}<!DOCTYPE html><html><head><meta charset=utf-8>\
<meta name=a content=1></head><body>"),
    ("a byte-order mark between included files", 1, "\u{FEFF}<!DOCTYPE html><html><head><meta charset=utf-8>\
<meta name=a content=1>\n\u{FEFF}<meta name=b content=2></head><body>"),
    ("a byte-order mark behind a charset and a script", 0, "<head><meta charset=utf-8>\
<script></script>\u{FEFF}<meta name=a content=1></head><body>"),
    ("text before the doctype", 0, "Warning: mysql_connect() in /var/www/a.php on line 3\n\
<!DOCTYPE html><html><head><meta name=robots content=noindex></head><body></body></html>"),
    ("a comment before the doctype", 1, "<!-- cached 2024 -->\r\n\r\n<!DOCTYPE html>\r\n<html>\r\n\
<head>\r\n<meta name=robots content=noindex>\r\n</head>\r\n<body></body></html>"),
    ("an end tag of br", 1, "<html><head><meta name=a content=1></br><meta name=b content=2></head><body>"),
    ("a paragraph in head", 1, "<html><head><meta name=a content=1></div></center></p>\
<center><meta name=b content=2></head><body></body></html>"),
    ("end of html before the body", 1, "<html><head><meta name=a content=1></head></html><meta name=b>"),
    ("an image in head", 1, r#"<html><head><meta name="a" content="1"><img src="pixel.gif">
<meta name="robots" content="noindex"></head><body></body></html>"#),
    ("a quote that never ends", 1, "<html><head><meta name=a content=1><link title=\"oops>\n\
<meta name='b' content='2'></head><body></body></html>"),
    ("a comment that never ends", 1, "<html><head><meta name=a content=1><!-- oops\n\
<meta name=b content=2></head><body></body></html>"),
    ("tags cut off", 2, "<html><head><meta name=a content=1><title>x</title <meta name=b content=2>\n\
<meta name=c <meta content=3></head><body></body></html>"),
];

/// How pages begin.
pub const STARTS: &[&str] = &[
    "",
    "\n",
    "\u{FEFF}",
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
    "<!doctype html><html><head>",
    "\u{FEFF}<!doctype html>\r\n<html>\r\n<head>\r\n",
    "<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1252\">",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"x.dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head>",
    "<!--[if IE]><html class=\"ie\"><![endif]--><!--[if !IE]><!--><html><!--<![endif]--><HEAD profile=x>",
    "<!-- generated --> <!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML//EN\">",
    "<head><title>x</title>",
];

/// Metas as they are written on real pages.
pub const METAS: &[&str] = &[
    "<meta name=\"robots\" content=\"noindex, nofollow\">",
    "<META NAME=\"ROBOTS\" CONTENT=\"NOINDEX\">",
    "<meta name='robots' content='max-snippet:-1, max-image-preview:large' />",
    "<meta name=robots content=noindex>",
    "<meta name=robots content=noindex/>",
    "<meta content=\"noai, noimageai\" name=\"robots\"/>",
    "<meta name=\"googlebot\" content=\"unavailable_after: 25 Jun 2030 15:00:00 PST\">",
    "<meta name = \"tdm-reservation\"\n content = \"1\">",
    "<meta name=\"description\" content=\"Caf&eacute; &amp; Bar &#8211; &quot;5 > 4&quot; &hellip;\">",
    "<meta name=\"description\" content='It&#39;s AT&T&copy 2020 &copy=1 &nbsp;&#x80;'>",
    "<meta name=\"description\" content=\"two\r\nlines\rand\na &gt b\">",
    "<meta name=\"math\" content=\"&alpha;&le;&beta; &amp;gamma; &NotEqualTilde;\">",
    "<meta name=\" robots \" content=\"none\">",
    "<meta name=\" \" content=\"\">",
    "<meta name=\"\" content=\"x\">",
    "<meta name=\"a\" name=\"b\" content=\"1\" content=\"2\">",
    "<meta name=\"keywords\">",
    "<meta name=\"keywords\" content>",
    "<meta http-equiv=\"X-Robots-Tag\" content=\"noindex\" name=\"both\">",
    "<meta http-equiv=refresh content=\"0;url='/a?b=1&amp;c=2'\">",
    "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\" />",
    "<meta property=\"og:title\" content=\"x\">",
    "<meta itemprop=\"name\" content=\"x\"/><meta charset=utf-8>",
    "<meta name=\"x\" content=\"日本語 &#26085;\">",
    "<meta\nname=\"y\"\ncontent=\"1\"\n/></meta>",
];

/// What else is in a head.
pub const HEAD_PIECES: &[&str] = &[
    "<title>Home &amp; Garden | 5 < 6 <!-- x --></title>",
    "<TITLE></TITLE>",
    "<base href=\"/\">",
    "<link rel=\"stylesheet\" href=\"a.css?a=1&b=2\" media='all'/>",
    "<link rel=preload as=font href=f.woff2 crossorigin>",
    "<style type=\"text/css\">a > b { content: '<meta name=s>' } <!-- p {} --></style>",
    "<style></style >",
    "<script src=\"a.js\" defer></script>",
    "<script>document.write('<meta name=\"s\" content=\"1\"><\\/script>')</script>",
    "<script><!--\nvar a = '<script>', b = '</script>';\n//--></script>",
    "<script><!-- a(); //--></script >",
    "<script type=\"application/ld+json\">{\"a\": \"</b><!--\"}</script>",
    "<script>/*<![CDATA[*/ if (a < b && b > c) {} /*]]>*/</script>",
    "<noscript><img src=\"p.gif\"></noscript>",
    "<noscript><style>a{}</style><meta name=\"n\" content=\"1\"></noscript>",
    "<noscript><meta http-equiv=refresh content=\"0\"></NOSCRIPT>",
    "<noscript><link rel=x><style><meta name=s></style><!-- <meta name=c> --><meta name=\"robots\" content=noindex></noscript>",
    "<noscript><img src=p><template><meta name=t></template><meta name=\"late\"></noscript>",
    "<template><div><meta name=\"t\"></div><template></template> text</template>",
    "<template><tr><td><script>'</template>'</script></td></tr></template>",
    "<!-- a comment <meta name=\"c\" content=\"1\"> -->",
    "<!--[if lt IE 9]><script src=\"h.js\"></script><meta name=\"c\"><![endif]-->",
    "<![if !IE]><link href=\"b.css\"><![endif]>",
    "<!-->",
    "<!---->",
    "<!-- a -- b --!>",
    "<?php echo 1; ?>",
    "<noframes><p>frames</p></noframes>",
    "<bgsound src=\"a.mid\"><basefont face=x>",
    "</p>",
    "</link>",
    "<html xmlns:og=\"x\">",
    "<head>",
    "</head>",
    "&#32;",
];

/// What goes wrong in a head.
pub const MISHAPS: &[&str] = &[
    "<!-- never closed",
    "<link title=\"never closed>",
    "<script>",
    "<style>",
    "<title>",
    "<template>",
    "<noscript>",
    "</script>",
    "</br>",
    "</body>",
    "</html>",
    "<img src=\"pixel.gif\">",
    "<div>",
    "<p>",
    "<iframe src=\"x\"></iframe>",
    "<svg><title>x</title></svg>",
    "<frameset>",
    "<body>",
    "text",
    "&nbsp;",
    "&copy;",
    "\u{FEFF}",
    "\u{A0}",
    "\0",
    "<",
    "< meta name=\"x\">",
    "<>",
    "</>",
    "</ meta>",
    "<meta name=\"x\"",
    "<meta name=\"x content=\"1\">",
    "<metaname=\"x\">",
    "<meta\0name=\"x\">",
];

/// What can follow `</head>` and leave it open to metas, and the `noscript` that does not.
pub const AFTER_HEAD: &[&str] = &[
    "\n",
    "<!-- x -->",
    "<script>var b = '<body>'</script>",
    "<style>b{}</style>",
    "<link rel=x>",
    "<title>late</title>",
    "<template><meta name=t></template>",
    "<noframes></noframes>",
    "<noscript></noscript>",
    "</p>",
    "<html class=late>",
    "<head>",
    "</head>",
];

/// How bodies begin.
pub const BODY_STARTS: &[&str] = &[
    "<body>",
    "<BODY bgcolor=white>",
    "<body class=\"home\"\nid=b>",
    "<h1>x</h1>",
    "Hello",
    "<frameset>",
    "",
];

/// What is in a body; metas in it do not count, wherever they end up in the tree.
pub const BODIES: &[&str] = &[
    "<p>One <b>two <i>three</b> four</i>",
    "<table><meta name=b content=1><tr><td><meta name=c></table>",
    "<b><p><meta name=b content=1></b></p>",
    "<a><div><a><meta name=b></a></div>",
    "<select><option>x</select>",
    "<svg><meta name=b></svg>",
    "<template><meta name=t></template>",
    "</head><head><meta name=b content=1></head>",
    "<noscript><meta name=b></noscript>",
    "<textarea></head><meta name=b></textarea>",
    "<script></script><style></style>",
    "</body><meta name=b content=1>",
];
