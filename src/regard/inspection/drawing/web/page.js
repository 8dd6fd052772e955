"use strict";(()=>{var bo=globalThis,un=bo.trustedTypes,Bs=un?un.createPolicy("lit-html",{createHTML:e=>e}):void 0,wo="$lit$",ge=`lit$${Math.random().toFixed(9).slice(2)}$`,yo="?"+ge,wl=`<${yo}>`,Ge=document,Dt=()=>Ge.createComment(""),Bt=e=>e===null||typeof e!="object"&&typeof e!="function",$o=Array.isArray,Vs=e=>$o(e)||typeof e?.[Symbol.iterator]=="function",go=`[ 	
\f\r]`,Wt=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Fs=/-->/g,qs=/>/g,qe=RegExp(`>|${go}(?:([^\\s"'>=/]+)(${go}*=${go}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Us=/'/g,Gs=/"/g,Ks=/^(?:script|style|textarea|title)$/i,xo=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),u=xo(1),N=xo(2),Oh=xo(3),pe=Symbol.for("lit-noChange"),m=Symbol.for("lit-nothing"),js=new WeakMap,Ue=Ge.createTreeWalker(Ge,129);function Xs(e,t){if(!$o(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return Bs!==void 0?Bs.createHTML(t):t}var zs=(e,t)=>{let n=e.length-1,o=[],s,r=t===2?"<svg>":t===3?"<math>":"",i=Wt;for(let a=0;a<n;a++){let c=e[a],p,d,h=-1,f=0;for(;f<c.length&&(i.lastIndex=f,d=i.exec(c),d!==null);)f=i.lastIndex,i===Wt?d[1]==="!--"?i=Fs:d[1]!==void 0?i=qs:d[2]!==void 0?(Ks.test(d[2])&&(s=RegExp("</"+d[2],"g")),i=qe):d[3]!==void 0&&(i=qe):i===qe?d[0]===">"?(i=s??Wt,h=-1):d[1]===void 0?h=-2:(h=i.lastIndex-d[2].length,p=d[1],i=d[3]===void 0?qe:d[3]==='"'?Gs:Us):i===Gs||i===Us?i=qe:i===Fs||i===qs?i=Wt:(i=qe,s=void 0);let b=i===qe&&e[a+1].startsWith("/>")?" ":"";r+=i===Wt?c+wl:h>=0?(o.push(p),c.slice(0,h)+wo+c.slice(h)+ge+b):c+ge+(h===-2?a:b)}return[Xs(e,r+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),o]},Ft=class e{constructor({strings:t,_$litType$:n},o){let s;this.parts=[];let r=0,i=0,a=t.length-1,c=this.parts,[p,d]=zs(t,n);if(this.el=e.createElement(p,o),Ue.currentNode=this.el.content,n===2||n===3){let h=this.el.content.firstChild;h.replaceWith(...h.childNodes)}for(;(s=Ue.nextNode())!==null&&c.length<a;){if(s.nodeType===1){if(s.hasAttributes())for(let h of s.getAttributeNames())if(h.endsWith(wo)){let f=d[i++],b=s.getAttribute(h).split(ge),y=/([.?@])?(.*)/.exec(f);c.push({type:1,index:r,name:y[2],strings:b,ctor:y[1]==="."?dn:y[1]==="?"?hn:y[1]==="@"?mn:Ve}),s.removeAttribute(h)}else h.startsWith(ge)&&(c.push({type:6,index:r}),s.removeAttribute(h));if(Ks.test(s.tagName)){let h=s.textContent.split(ge),f=h.length-1;if(f>0){s.textContent=un?un.emptyScript:"";for(let b=0;b<f;b++)s.append(h[b],Dt()),Ue.nextNode(),c.push({type:2,index:++r});s.append(h[f],Dt())}}}else if(s.nodeType===8)if(s.data===yo)c.push({type:2,index:r});else{let h=-1;for(;(h=s.data.indexOf(ge,h+1))!==-1;)c.push({type:7,index:r}),h+=ge.length-1}r++}}static createElement(t,n){let o=Ge.createElement("template");return o.innerHTML=t,o}};function je(e,t,n=e,o){if(t===pe)return t;let s=o!==void 0?n._$Co?.[o]:n._$Cl,r=Bt(t)?void 0:t._$litDirective$;return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(e),s._$AT(e,n,o)),o!==void 0?(n._$Co??=[])[o]=s:n._$Cl=s),s!==void 0&&(t=je(e,s._$AS(e,t.values),s,o)),t}var pn=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:o}=this._$AD,s=(t?.creationScope??Ge).importNode(n,!0);Ue.currentNode=s;let r=Ue.nextNode(),i=0,a=0,c=o[0];for(;c!==void 0;){if(i===c.index){let p;c.type===2?p=new it(r,r.nextSibling,this,t):c.type===1?p=new c.ctor(r,c.name,c.strings,this,t):c.type===6&&(p=new fn(r,this,t)),this._$AV.push(p),c=o[++a]}i!==c?.index&&(r=Ue.nextNode(),i++)}return Ue.currentNode=Ge,s}p(t){let n=0;for(let o of this._$AV)o!==void 0&&(o.strings!==void 0?(o._$AI(t,o,n),n+=o.strings.length-2):o._$AI(t[n])),n++}},it=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,o,s){this.type=2,this._$AH=m,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=o,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=je(this,t,n),Bt(t)?t===m||t==null||t===""?(this._$AH!==m&&this._$AR(),this._$AH=m):t!==this._$AH&&t!==pe&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):Vs(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==m&&Bt(this._$AH)?this._$AA.nextSibling.data=t:this.T(Ge.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:o}=t,s=typeof o=="number"?this._$AC(t):(o.el===void 0&&(o.el=Ft.createElement(Xs(o.h,o.h[0]),this.options)),o);if(this._$AH?._$AD===s)this._$AH.p(n);else{let r=new pn(s,this),i=r.u(this.options);r.p(n),this.T(i),this._$AH=r}}_$AC(t){let n=js.get(t.strings);return n===void 0&&js.set(t.strings,n=new Ft(t)),n}k(t){$o(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,o,s=0;for(let r of t)s===n.length?n.push(o=new e(this.O(Dt()),this.O(Dt()),this,this.options)):o=n[s],o._$AI(r),s++;s<n.length&&(this._$AR(o&&o._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let o=t.nextSibling;t.remove(),t=o}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},Ve=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,o,s,r){this.type=1,this._$AH=m,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=r,o.length>2||o[0]!==""||o[1]!==""?(this._$AH=Array(o.length-1).fill(new String),this.strings=o):this._$AH=m}_$AI(t,n=this,o,s){let r=this.strings,i=!1;if(r===void 0)t=je(this,t,n,0),i=!Bt(t)||t!==this._$AH&&t!==pe,i&&(this._$AH=t);else{let a=t,c,p;for(t=r[0],c=0;c<r.length-1;c++)p=je(this,a[o+c],n,c),p===pe&&(p=this._$AH[c]),i||=!Bt(p)||p!==this._$AH[c],p===m?t=m:t!==m&&(t+=(p??"")+r[c+1]),this._$AH[c]=p}i&&!s&&this.j(t)}j(t){t===m?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},dn=class extends Ve{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===m?void 0:t}},hn=class extends Ve{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==m)}},mn=class extends Ve{constructor(t,n,o,s,r){super(t,n,o,s,r),this.type=5}_$AI(t,n=this){if((t=je(this,t,n,0)??m)===pe)return;let o=this._$AH,s=t===m&&o!==m||t.capture!==o.capture||t.once!==o.once||t.passive!==o.passive,r=t!==m&&(o===m||s);s&&this.element.removeEventListener(this.name,this,o),r&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},fn=class{constructor(t,n,o){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=o}get _$AU(){return this._$AM._$AU}_$AI(t){je(this,t)}},Js={M:wo,P:ge,A:yo,C:1,L:zs,R:pn,D:Vs,V:je,I:it,H:Ve,N:hn,U:mn,B:dn,F:fn},yl=bo.litHtmlPolyfillSupport;yl?.(Ft,it),(bo.litHtmlVersions??=[]).push("3.3.1");var Ys=(e,t,n)=>{let o=n?.renderBefore??t,s=o._$litPart$;if(s===void 0){let r=n?.renderBefore??null;o._$litPart$=s=new it(t.insertBefore(Dt(),r),r,void 0,n??{})}return s._$AI(e),s};var qt={temperature:1,isScaled:!0,isMasked:!0},gn=({temperature:e,isScaled:t,isMasked:n})=>e===1&&t&&n;function ko({scores:e,bias:t,allowed:n,factor:o,cap:s},{temperature:r,isScaled:i,isMasked:a}){let c=e.map((w,x)=>(i||s!==null?w:w/o)+t[x]),p=c.map((w,x)=>x).filter(w=>n[w]||!a);p.sort((w,x)=>c[x]-c[w]);let d=c[p[0]]??0,h=c.map(()=>0);for(let w of p)h[w]=Math.exp((c[w]-d)/r);let f=h.reduce((w,x)=>w+x,0),b=h.map(w=>w/f),y=b.reduce((w,x)=>w-(x?x*Math.log(x):0),0);return{keys:p,scores:c,exponentials:h,highest:d,total:f,weights:b,entropy:y}}var Zs={result:null,sentence:null,modelName:null,flow:null,lookup:null,writes:null,stream:null,next:null,experiment:null,patching:null,snapshot:null},To=()=>({server:{models:[],storedPage:null},request:{modelName:"",text:"",isHtml:!1,beamSize:5,temperature:0,seed:0,maxTokens:50,translatesWhileTyping:!0},tokenCounts:{total:null,longestSentence:0,sentenceLimit:0,truncatedSentences:0},output:{sourceText:"",sentences:[],html:"",isEarlier:!1,compared:null,options:null,isExample:!1,attribution:null},view:{sentenceIndex:0,outputPosition:0,inputPosition:null,keyPosition:null,head:"",rowShare:.9,groupsWords:!1,hidesOtherRows:!1,showsComputation:!1,isPlaying:!1,tourStop:null,hoveredToken:null},trial:{softmax:qt,sampling:{isOpen:!1,temperature:1,topK:0,topP:1},otherText:null,patched:null},inspection:{...Zs},heads:{disabled:[],undoStack:[],sortBy:"place",importance:null,importanceByToken:{},ablation:null,ablatedSentence:null},search:{trace:null,candidate:null},status:{busy:{},error:"",needsApiKey:!1,notice:""}}),l=To(),So={output:{compared:null,attribution:null},inspection:Zs,heads:{ablation:null,ablatedSentence:null,importance:null},search:{trace:null,candidate:null},view:{hoveredToken:null}},bn=[{output:{sentences:[],sourceText:"",html:"",options:null}},So],Qs=[],vo=!1;function Ro(e){Qs.push(e)}function Ke(e){for(let[t,n]of Object.entries(e))Object.assign(l[t],n)}function g(...e){e.forEach(Ke),!vo&&(vo=!0,requestAnimationFrame(()=>{vo=!1;for(let t of Qs)t()}))}var I="flow.",j="mean.",Ae=["rollout","gradient","integrated-gradients"],Ee=e=>e.direction??e.name??"",S=()=>l.server.models.find(e=>Ee(e)===l.request.modelName),k=()=>l.output.sentences[l.view.sentenceIndex],A=()=>!l.server.storedPage&&S()?.direction!==void 0,Y=()=>A()||!l.server.storedPage&&S()?.arch==="decoder";function oe(){let e=S();return!l.server.storedPage&&l.inspection.snapshot===null&&e!==void 0&&e.arch!=="rnn"}var V=()=>l.output.sourceText!==""&&l.output.sourceText!==l.request.text;function F(){let{result:e,sentence:t,modelName:n}=l.inspection;return e?t!==(k()??null)||n!==null&&n!==l.request.modelName:!1}function Ao(){let{ablation:e,ablatedSentence:t,disabled:n}=l.heads;return e?t!==l.inspection.sentence||String(e.heads)!==String(n):!1}var D=()=>F()||V();function Pe(e=l.inspection.sentence){let t=(e?.tokens??[]).map(o=>o.token);if(!A())return t.slice(1);let n=l.inspection.result?.tokens.cross?.rows.spelled??[];return[...t,n.length>t.length?n.at(-1):"</s>"]}var Eo=e=>e!=="encoder"||l.inspection.result?.target===null;var M=e=>e.split(".").slice(0,2).join("."),Po=()=>l.inspection.result?[...l.inspection.result.weights.keys()]:[],er=(e,t)=>e[(t+e.length)%e.length];function at(e){let t=Po(),n=er(t,t.indexOf(l.view.head)+e);n&&g({view:{head:n}})}function lt(e){let t=[...new Set(Po().map(M))],n=er(t,t.indexOf(M(l.view.head))+e),o=Po().find(s=>M(s)===n);o&&g({view:{head:o}})}function wn(){let e=l.inspection.result?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${j}${e}`,isOfModel:t}}function be(){let e=wn();if(e?.isOfModel)return e.head;let t=l.inspection.result?.heads??[],n=t.filter(i=>i.head.startsWith("cross.")),o=n.length?n:t,s=o.filter(i=>i.label!=="sink"),[r]=[...s.length?s:o].sort((i,a)=>a.confidence-i.confidence);return r?.head??"mean"}var $l={"previous token":"mostly the token before","next token":"mostly the next token",diagonal:"mostly in step, from first to last","same token":"mostly the same token",induction:"mostly what came next the last time",sink:"mostly one symbol",alignment:"mostly the words that it translates",positional:"mostly at one distance"};function yn(e){let[t,n]=e.split(".");return`${l.inspection.result?.target!=null&&t==="encoder"?"Encoder layer":"Layer"} ${n}`}var Mo=e=>`${yn(M(e))}, head ${e.split(".")[2]} (${e})`;function $n(e){let n=e.startsWith("decoder.")&&l.inspection.result?.target!=null?"what is written":"the text",o=$l[l.inspection.result?.heads.find(s=>s.head===e)?.label??""];return`${Mo(e)}: reads ${n}${o?`, ${o}`:""}`}var vn=null,K=()=>vn;function Me(){vn=null}var xl=()=>({edits:l.output.sentences.flatMap(({edit:e},t)=>e?[{sentenceIndex:t,edit:e}]:[]),snapshot:l.inspection.snapshot,compared:l.output.compared,tracesSearch:l.search.trace!==null&&l.search.trace.source===k()?.source,ranksHeads:l.heads.importance!==null}),kl=16,vl=1e3,Tl=5,Sl=1e9,xn=e=>e==="true",ct=(e,t,n=!0)=>o=>{let s=Number(o);return o.trim()!==""&&s>=e&&s<=t&&(!n||Number.isInteger(s))?s:void 0},kn=ct(0,Sl),tr=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),Rl=e=>e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e),Al=e=>Ae.some(t=>e===`${I}${t}`),El=e=>tr(e)||Rl(e)||Al(e)?e:void 0,Pl=e=>e.split(",").filter(tr),B=(e,t,n)=>({group:e,field:t,parse:n}),Oo={direction:B("request","modelName",String),text:B("request","text",String),beam:B("request","beamSize",ct(1,kl)),temperature:B("request","temperature",ct(0,Tl,!1)),seed:B("request","seed",ct(0,Number.MAX_SAFE_INTEGER)),length:B("request","maxTokens",ct(1,vl)),at:B("view","sentenceIndex",kn),step:B("view","outputPosition",kn),source:B("view","inputPosition",kn),key:B("view","keyPosition",kn),head:B("view","head",El),share:B("view","rowShare",ct(.1,1,!1)),words:B("view","groupsWords",xn),alone:B("view","hidesOtherRows",xn),isExplained:B("view","showsComputation",xn),isHtml:B("request","isHtml",xn),sortBy:B("heads","sortBy",String),off:B("heads","disabled",Pl)},Ml=["direction","text","beam","temperature","seed","length","at","off","isHtml"],Co=(e,{group:t,field:n})=>e[t][n]??null,nr=To(),_l={temperature:"temperature",seed:"seed",length:"maxTokens"},Tn=()=>V()&&!l.status.error?l.output.sourceText:l.request.text;function Ol(e){if(e==="text")return Tn();let t=_l[e];return t&&l.output.options?l.output.options[t]:Co(l,Oo[e])}var Cl=({sentenceIndex:e,edit:t})=>t.kind==="prefix"?[e,t.position,t.prefix,t.token,[]]:[e,null,t.text,"",t.ids];function Ll(){let{edits:e,snapshot:t,compared:n,tracesSearch:o,ranksHeads:s}=vn??xl();return[["edits",e.length?JSON.stringify(e.map(Cl)):null],["compared",n&&JSON.stringify([n.text,n.ids])],["snapshot",t===null?null:String(t)],["searched",o?"true":null],["ranked",s?"true":null]].filter(i=>i[1]!==null)}var Hl=e=>e==="text"||e==="direction"||e==="head"&&l.view.head===be();function or(){let{storedPage:e}=l.server,t=new URLSearchParams;for(let[n,o]of Object.entries(Oo)){let s=Ol(n);e&&Ml.includes(n)||s===null||s===Co(nr,o)||String(s)===""||t.set(n,String(s))}if(!e)for(let[n,o]of Ll())t.set(n,o);return t}function sr(){let e=or();return`#${l.output.isExample&&[...e.keys()].every(Hl)?"":e}`}var rr=()=>`${location.href.split("#")[0]}#${or()}`,_o=e=>Number.isSafeInteger(e)&&e>=0,ir=e=>Array.isArray(e)?e.filter(_o):[];function ar(e){try{return JSON.parse(e??"null")}catch{return null}}function Nl(e){if(!Array.isArray(e))return[];let[t,n,o,s,r]=e;return!_o(t)||typeof o!="string"?[]:n===null?[{sentenceIndex:t,edit:{kind:"translation",text:o,ids:ir(r)}}]:_o(n)?[{sentenceIndex:t,edit:{kind:"prefix",position:n,prefix:o,token:typeof s=="string"?s:""}}]:[]}function Il(e){let t=ar(e);return Array.isArray(t)?t.flatMap(Nl):[]}function Wl(e){let t=ar(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:ir(t[1])}:e?{text:e,ids:[]}:null}function Lo(){let e=new URLSearchParams(location.hash.slice(1)),t={};for(let[o,s]of Object.entries(Oo)){let r=e.get(o),i=r?s.parse(r):void 0;i===void 0&&o==="direction"||((t[s.group]??={})[s.field]=i??Co(nr,s))}let n=Number(e.get("snapshot")??NaN);return vn={edits:Il(e.get("edits")),snapshot:n>=0?n:null,compared:Wl(e.get("compared")),tracesSearch:e.has("searched"),ranksHeads:e.has("ranked")},t}var Sn=()=>Ke(Lo());var U=class extends Error{constructor(n,o){super(o);this.status=n}},Ut=0,Dl=410,lr="regard-key",Bl=255;async function cr(){try{return(await fetch("health")).ok}catch{return!1}}var ur=e=>sessionStorage.setItem(lr,e);function Fl(e){let t=sessionStorage.getItem(lr);return{...t?{Authorization:`Bearer ${t}`}:{},...e===void 0?{}:{"Content-Type":"application/json"}}}async function Rn(e,t,n){let o={method:t===void 0?"GET":"POST",headers:Fl(t),signal:n??null,body:t===void 0?null:JSON.stringify(t)},s;try{s=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,o)}catch(r){throw n?.aborted?r:new U(Ut,"The server does not answer. Is it still running?")}if(!s.ok){let r=await s.json().catch(()=>({}));throw new U(s.status,r.error?.message??`The server answered ${s.status}.`)}return s}async function W(e,t,n){return await(await Rn(e,t,n)).json()}async function*pr(e,t){let n=e.body.pipeThrough(new TextDecoderStream).getReader(),o="";for(;;){let{value:s,done:r}=await n.read().catch(a=>{throw t.aborted?a:new U(Ut,"The server went away while it was answering. Is it still running?")});if(r)return;let i=(o+s).split(`

`);o=i.pop()??"";for(let a of i){let[c,p]=a.split(`
`);yield{name:c.slice(7),data:JSON.parse(p.slice(6))}}}}async function*dr(e,t){let n=await Rn("stream",e,t);for await(let o of pr(n,t))yield o}async function ut(e,t,n,o=W){try{return await o(`inspect/${e.id}/${t}`,void 0,n)}catch(s){if(!(s instanceof U)||s.status!==Dl)throw s;return e.id=(await W("inspect",e.request,n)).id,await o(`inspect/${e.id}/${t}`,void 0,n)}}async function hr(e,t,n,o){return await ut(e,t,n,async s=>{for await(let r of pr(await Rn(s,void 0,n),n)){let{name:i,data:a}=r;if(i==="error")throw new U(a.status,a.message);if(i==="done")return a;n.aborted||o(a.done,a.total)}throw new U(Ut,"The server went away while it was answering. Is it still running?")})}async function ql(e,t,n){let o=await Rn(`inspect/${e}/attention/${t}`,void 0,n),{headers:s}=o,r=new Uint8Array(await o.arrayBuffer()),[,i,a]=s.get("X-Shape").split(",").map(Number),c=Number(s.get("X-Scale"));return s.get("X-Heads").split(",").map((d,h)=>{let f=r.subarray(h*i*a,(h+1)*i*a);return[d,{rows:i,keys:a,values:f,scale:c,forbidden:Bl}]})}async function pt(e,t){let n=S()?.arch!=="rnn",o=await W("inspect",{...e,lens:n},t),s=Object.keys(o.tokens),r=await Promise.all(s.map(i=>ql(o.id,i,t)));return{...o,request:e,weights:new Map(r.flat())}}var Ul=403,Gl=2e3,jl=4e3,Vl=["inspect","flow","ablate","rank","experiment","patching","search","compare"],_e=new Map,we=new Map;async function P(e,t,n,o){_e.get(e)?.abort(),gr(e);let s=new AbortController;if(_e.set(e,s),e==="translate"&&(Xl(),g({output:{isEarlier:!0}})),t){for(let[r,{isUnreachable:i}]of we)i||we.delete(r);g({status:{busy:{...l.status.busy,[e]:t},error:""}})}try{return await n(s.signal),!s.signal.aborted}catch(r){return s.signal.aborted||(Kl(r),o&&we.set(e,{again:o,isUnreachable:fr(r)})),!1}finally{_e.get(e)===s&&br(e)}}function dt(e,t){g({status:{busy:{...l.status.busy,[e]:t}}})}var mr=e=>e instanceof U?e.status:void 0,fr=e=>mr(e)===Ut;function Kl(e){let t=e instanceof Error?e.message:String(e);g({status:{error:t,needsApiKey:mr(e)===Ul}}),fr(e)&&$r()}function gr(e){let t=e==="translate"||e==="inspect";for(let n of[e,...t?Vl:[]])we.delete(n)}function Xl(){let e=document.querySelector(".translate, .named");e&&!e.style.minHeight&&(e.style.minHeight=`${e.offsetHeight}px`)}function zl(){let e=document.querySelector(".translate, .named");e&&(e.style.minHeight="")}function br(e){_e.delete(e),e==="translate"&&ht(()=>{_e.has(e)||zl()}),g({status:{busy:Object.fromEntries(Object.entries(l.status.busy).filter(([t])=>t!==e))}})}function ht(e){requestAnimationFrame(()=>requestAnimationFrame(e))}var Ho=0,wr=()=>Promise.resolve();function yr(e){wr=e}function $r(){clearTimeout(Ho),Ho=window.setTimeout(()=>{cr().then(e=>{e?No():(l.status.error||we.size)&&$r()})},Gl)}async function xr(){for(let[e,{again:t}]of[...we])we.get(e)?.again===t&&(we.delete(e),await t())}async function No(){clearTimeout(Ho),g({status:{error:"",needsApiKey:!1}}),await wr()}function kr(e){g({status:{notice:e}}),setTimeout(()=>{l.status.notice===e&&g({status:{notice:""}})},jl)}var Gt=e=>_e.has(e);function vr(){for(let e of[..._e.keys(),...we.keys()])e!=="file"&&Oe(e)}function Oe(e){gr(e),_e.get(e)?.abort(),br(e)}function Jl(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let o=!1;try{o=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),o}var Io="Copied.",An="Link copied.";async function En(e,t=Io){let n=!1;try{await navigator.clipboard.writeText(e),n=!0}catch{n=Jl(e)}kr(n?t:`The browser does not allow copying here. ${t===An?"Copy the address of the page.":"Select the text, and copy it with the keyboard."}`)}var Wo=new Map,Tr=()=>Wo.clear();function Z(e){let t=Wo.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),o=[1,3,5].map(s=>parseInt(n.slice(s,s+2),16));return Wo.set(e,o),o}var de=(e,t)=>`rgba(${Z(e).join(", ")}, ${t.toFixed(3)})`,X=e=>getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();var Yl=/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u,Zl=new RegExp(String.raw`\s+|${Yl.source}|[\p{L}\p{M}\p{N}]+|.`,"gu"),Ql=4e6,Xe=e=>[...e.matchAll(Zl)].map(({0:t,index:n})=>({text:t,begin:n}));function Pn(e,t){let n=d=>d.map(h=>h.text).filter(h=>h.trim()),o=n(e),s=n(t),r=Math.min(o.length,s.length),i=0,a=0;for(;i<r&&o[i]===s[i];)i++;for(;a<r-i&&o.at(-1-a)===s.at(-1-a);)a++;let c=ec(o.slice(i,o.length-a),s.slice(i,s.length-a)),p=(d,h,f)=>{let b=new Set(c.map(w=>w[h]+i)),y=-1;return d.map(w=>w.text.trim()!==""&&++y>=i&&y<f-a&&!b.has(y))};return[p(e,0,o.length),p(t,1,s.length)]}function ec(e,t){let n=[],o=t.length+1;if(e.length*t.length>Ql)return n;let s=new Uint32Array((e.length+1)*o),r=(i,a)=>s[i*o+a];for(let i=e.length-1;i>=0;i--)for(let a=t.length-1;a>=0;a--){let c=e[i]===t[a];s[i*o+a]=c?r(i+1,a+1)+1:Math.max(r(i+1,a),r(i,a+1))}for(let i=0,a=0;i<e.length&&a<t.length;)e[i]===t[a]?n.push([i++,a++]):r(i+1,a)>=r(i,a+1)?i++:a++;return n}function Sr(e,t){let n=[Xe(e),Xe(t)],o=Pn(...n),s=r=>n[r].filter((i,a)=>o[r][a]).map(i=>i.text);return[s(0),s(1)]}var tc=1500,nc=8,oc=60,sc=20,rc=["request","tokenCounts","output","view","trial","inspection","heads","search"],mt=new Map,ic=0,Do=()=>`${performance.timeOrigin}/${ic++}`,Ar=()=>location.protocol!=="about:",Bo=()=>history.state?.entry,Ce=Bo()??Do(),Vt=!1,Kt=!0,ze=null,jt=null,Mn=0;function G(){Vt=!0,Kt=!0}function Er(){Kt=!0,g({})}var Fo=()=>!!l.status.busy.translate||V();function ac(e){Fo()||l.status.error||!l.output.sourceText?(clearTimeout(Mn),jt=null):Kt?(ze=e,Kt=!1):e!==ze&&e!==jt&&(jt=e,clearTimeout(Mn),Mn=window.setTimeout(()=>{jt===e&&(ze=e)},tc))}function lc(){!(!Fo()&&!F()&&!Object.keys(l.status.busy).length)||l.status.error||K()||!l.output.sourceText||(mt.delete(Ce),mt.set(Ce,Object.fromEntries(rc.map(t=>[t,{...l[t]}]))),mt.size>nc&&mt.delete(mt.keys().next().value))}var Rr=(e,t)=>{let n=[...e];return n.length>t?`${n.slice(0,t-1).join("").trimEnd()}…`:e};function cc(){let e=S(),t=[...e?[Rr(Ee(e),sc)]:[],"Regard"].join(" · "),[n=""]=Tn().trim().split(`
`);return n?`${Rr(n,oc-t.length-3)} · ${t}`:"Regard"}function Pr(){if(K()&&V())return;let e=Tn(),t=sr();t===(location.hash||"#")||!Ar()?Fo()||(Vt=!1):Vt||ze!==null&&e!==ze?(Ce=Do(),history.pushState({entry:Ce},"",t),[Vt,ze]=[!1,null]):history.replaceState({entry:Ce},"",t),l.server.storedPage||(document.title=cc()),ac(e),lc()}function qo(){Bo()===void 0&&Ar()&&history.replaceState({entry:Ce},"",location.href)}function Mr(){clearTimeout(Mn),[Vt,Kt,ze,jt]=[!1,!0,null,null],Ce=Bo()??Do(),qo();let e=mt.get(Ce);if(!e)return!1;vr(),Me();let{tourStop:t}=l.view;return g(e,{view:{tourStop:t,hoveredToken:null,isPlaying:!1},status:{error:""}}),!0}var ft=5;function Q(){let e=S();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}}var gt=()=>l.request.temperature?{method:"sample",temperature:l.request.temperature,seed:l.request.seed}:{beam_size:l.request.beamSize},bt=e=>A()?{...Q(),text:e.source,target_ids:e.ids}:{model:S().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},_n=({decoding:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});async function _r(){await P("models","",async e=>{let{models:t}=await W("models",void 0,e),[n]=t;if(!n)throw new Error("The server has no model.");let o=t.some(s=>Ee(s)===l.request.modelName);g({server:{models:t},request:{modelName:o?l.request.modelName:Ee(n)},status:{error:"",needsApiKey:!1}})},null)}async function wt(){await P("count","",async e=>{if(!l.request.text.trim()||!A())return g({tokenCounts:{total:null}});let t={...Q(),text:l.request.text},n=await W("tokenize",t,e),o=n.sentences.map(s=>s.tokens.length);g({tokenCounts:{total:o.reduce((s,r)=>s+r,0),longestSentence:Math.max(0,...o),sentenceLimit:n.max_tokens,truncatedSentences:n.num_cut}})},wt)}var uc=50;async function yt(e){let{disabled:t}=l.heads,n=e.every(o=>t.includes(o));await ye(n?t.filter(o=>!e.includes(o)):[...new Set([...t,...e])])}async function ye(e){let{undoStack:t,disabled:n}=l.heads;g({heads:{disabled:e,undoStack:[...t,n].slice(-uc)}}),await he()}async function Or(){let{undoStack:e}=l.heads;g({heads:{disabled:e.at(-1)??[],undoStack:e.slice(0,-1)}}),await he()}async function he(){let{sentence:e}=l.inspection;if(!l.heads.disabled.length)return Oe("ablate"),g({heads:{ablation:null,ablatedSentence:null}});!e?.isDone||!oe()||F()||await P("ablate","Running without heads",async t=>{let n=A()?_n(e):{prompt:e.source,...e.decoding},o={...bt(e),heads:l.heads.disabled,together:!0,...n},{ablations:s=[],predicted:r}=await W("ablate",o,t),[i]=s;g({heads:{ablation:i?{...i,predicted:r}:null,ablatedSentence:e}})},he)}async function Je(){let{result:e,sentence:t}=l.inspection;if(!t?.isDone||!e||F())return;let n=[...e.weights.keys()],o=[...new Set(n.map(M))],s=r=>`Taking each head away: ${r} of ${n.length}`;await P("rank",s(0),async r=>{let i={},a={};for(let c of o){let p=n.filter(h=>M(h)===c),d=await W("ablate",{...bt(t),sweep:!0,heads:p},r);if(l.inspection.result!==e)return;i={...i,...d.worth},a={...a,...d.by_token},g({heads:{importance:i,importanceByToken:a}}),dt("rank",s(Object.keys(i).length))}g({heads:{sortBy:"worth"}})},Je),l.status.error&&l.inspection.result===e&&g({heads:{importance:null,importanceByToken:{}}})}var Cr=()=>l.inspection.sentence?.numGiven??0,On=e=>Math.max(0,(e?.numGiven??0)-1);function $t(e,t){return e<t?"given":t>0&&e===t?"begins-written":""}var Cn=(e,t)=>e?` Of ${t} tokens, the first ${e} were given; the others were written by the model.`:"",Uo=e=>e?u`<span class="given-legend"
        ><span class="given">given</span> <i class="boundary"></i>
        <span class="written">written by the model</span></span
      >`:m;var xt=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],decoding:{},index:0,prefix:"",original:null,edit:null,isDone:!1,numGiven:0});function Go(e,t){e.tokens=t.tokens.map((n,o)=>({token:n,log_prob:t.token_log_probs[o],alternatives:t.alternatives?.[o]??e.tokens[o]?.alternatives??[]}))}var ee=e=>e.join("").replaceAll("▁"," ").trimStart(),Ln=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids),Le=e=>/^<[^<>]+>$/.test(e);function Ye(e,t,n="inserted"){let o=Xe(e),[s]=Pn(o,Xe(t)),r=i=>n==="deleted"?u`<del>${i}</del>`:u`<mark>${i}</mark>`;return u`${o.map((i,a)=>s[a]?r(i.text):i.text)}`}var Lr=e=>Le(e)?`
`:e.replaceAll("▁"," ");function jo({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(i=>Lr(i.token)),o=Xe(n.join("")),[s]=Pn(o,Xe(t.tokens.map(i=>Lr(i.token)).join(""))),r=0;return n.map(i=>{let a=r;r+=i.length;let c=p=>p.begin<r&&p.begin+p.text.length>a;return o.some((p,d)=>s[d]&&c(p))})}var $=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",pc=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,se=e=>pc.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",dc=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,hc=[/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,/[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u];function Hr(e="",t=""){let n=/(.)\p{M}*$/u.exec(e)?.[1]??"",o=/^./u.exec(t)?.[0]??"",s=r=>dc.test(r)&&/\p{L}/u.test(r);return s(n)&&s(o)&&!hc.some(r=>r.test(n))&&o!=="ء"}function kt(e,t){let n=Hr(e[t-1],e[t])?["joins-before"]:[],o=Hr(e[t],e[t+1])?["joins-after"]:[];return[...n,...o].join(" ")}var me=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function He(e,t,n){let o=e.values[t*e.keys+n];return o===e.forbidden?0:o/e.scale}var vt=(e,t)=>Array.from({length:e.keys},(n,o)=>He(e,t,o));function Hn(e,t){let n=e.map((i,a)=>a).sort((i,a)=>e[a]-e[i]),o=new Set,s=e.reduce((i,a)=>i+a,0),r=0;for(let i of n){if(e[i]===0||r>=t*s&&t<1)break;o.add(i),r+=e[i]}return o}var Vo=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function Nr(e){let t=Vo(e.length,e[0]?.length??0);return t.values.set(e.flat().map(n=>n??t.forbidden)),t}function Ir(e){let[t]=e,n=Vo(t.rows,t.keys);for(let{values:o,scale:s,forbidden:r}of e)for(let i=0;i<o.length;i++)n.values[i]+=o[i]===r?0:o[i]/s/e.length;for(let o=0;o<t.values.length;o++)t.values[o]===t.forbidden&&(n.values[o]=n.forbidden);return n}function Wr(e){let t=[];return e.words.forEach((n,o)=>{n!==null&&o>0&&e.words[o-1]===n?t.at(-1).push(o):t.push([o])}),t}function Dr(e,t,n){let o=Vo(t.length,n.length);return t.forEach((s,r)=>{n.forEach((i,a)=>{let c=s.every(h=>i.every(f=>me(e,h,f))),p=h=>i.reduce((f,b)=>f+He(e,h,b),0),d=s.reduce((h,f)=>h+p(f),0);o.values[r*n.length+a]=c?o.forbidden:d/s.length})}),o}var jr=new WeakMap,Vr=e=>jr.get(e);function Kr(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),jr.set(t,e),t}var Br=new WeakMap;function Xr(e,t){let n=Br.get(e)??new Map,o=[t,...Z("paper"),...Z("heat")].join(" "),s=n.get(o)??mc(e,t);return Br.set(e,n.set(o,s)),s}function Xo(e,t,n,o,s){for(let r=0;r<3;r++)e.data[4*t+r]=n[r]+s*(o[r]-n[r]);e.data[4*t+3]=255}function mc(e,t){let n=Math.min(e.rows,t),o=Math.min(e.keys,t),s=new Float32Array(o*n).fill(-1);for(let p=0;p<e.rows;p++)for(let d=0;d<e.keys;d++){if(me(e,p,d))continue;let h=Math.floor(p*n/e.rows)*o+Math.floor(d*o/e.keys);s[h]=Math.max(s[h],He(e,p,d))}let r=new ImageData(o,n),[i,a,c]=[Z("paper"),Z("heat"),Z("forbidden")];return s.forEach((p,d)=>{p<0?Xo(r,d,c,c,1):Xo(r,d,i,a,p)}),Kr(r)}var fc={path:"",stroke:"none",thickness:0},Jo=new WeakMap,zr=e=>Jo.get(e);function Jr(e,t,n=!1){Jo.set(e,{image:t,left:0,top:0,width:0,height:0,isMirrored:n,labels:[],frames:[],hatching:fc}),e.width=t.width,e.height=t.height;let o=e.getContext("2d");n&&o.transform(-1,0,0,1,t.width,0),o.drawImage(t,0,0)}function Yr(e,t,n,o){Jr(e,Xr(t,n),o)}function Zr(e,t,n){let o=new ImageData(n,t.length),s=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((r,i)=>{r.forEach((a,c)=>{let p=Z(a<0?"less":"more");Xo(o,i*n+c,Z("paper"),p,Math.abs(a)/s)})}),Jr(e,Kr(o))}var zo=14,gc=120,Fr=10,bc=4,qr=44,wc=60,yc=800,$c=640,xc=1.2,Ko=6,Nn="13px system-ui, sans-serif";function Ur(e,t,n){let o=s=>e.measureText(s).width;return t.map(s=>{let r=[...$(s)];if(o(r.join(""))<=n)return r.join("");for(;r.length>1&&o(`${r.join("")}…`)>n;)r.pop();return`${r.join("")}…`})}function Gr(e,t,n){let o=Math.max(Math.ceil(zo/t),1);return Array.from({length:e},(s,r)=>r).filter(s=>s===n||s%o===0&&Math.abs(s-n)>=o)}function kc(e,t,n){let{weights:o,rows:s,keys:r,numGiven:i,chosen:a,isMirrored:c}=t;e.font=Nn;let p=Math.min(gc,n*.25),d=Ur(e,s,p),h=Ur(e,r,p),f=C=>Math.max(...C.map(ue=>e.measureText(ue).width)),b=f(d)+Fr,y=n>yc?wc:qr,w=Math.max($c*y/qr/s.length,2*Ko),x=Math.max(xc,Math.min(y,(n-b-2)/r.length,w)),T=x>=Ko?Math.floor(x):x,R=f(h)+bc<=T,H=(R?zo:f(h))+Fr,q=T*r.length,le=T*s.length,ce=C=>b+T*(c?r.length-1-C:C),Nt={rows:Gr(s.length,T,a.row),keys:Gr(r.length,T,a.key)},ln=(C,ue)=>X(C?"accent":ue?"faint":"ink"),dl=[...Nt.rows.map(C=>({text:d[C],x:b-6,y:H+T*(C+.5),isVertical:!1,fill:ln(C===a.row,C<i.rows)})),...Nt.keys.map(C=>({text:h[C],x:ce(C)+.5*(T+(R?e.measureText(h[C]).width:0)),y:H-6-(R?zo/2:0),isVertical:!R,fill:ln(C===a.key,C<i.keys)}))],Ds={stroke:X("accent"),thickness:1.5},hl=[{x:b-.5,y:H-.5,width:q+1,height:le+1,stroke:X("line"),thickness:1},...vc(i,{left:b,top:H,size:T,width:q,height:le,isMirrored:c}),{x:b,y:H+T*a.row,width:q,height:T,...Ds},{x:ce(a.key),y:H,width:T,height:le,...Ds}],ml=Xr(o,1/0),fl=(C,ue)=>T>=Ko&&me(o,C,ue),gl=(C,ue)=>{let[It,Fe,cn]=[ce(ue),H+T*C,T/2];return`M ${It} ${Fe+cn} L ${It+cn} ${Fe} M ${It+cn} ${Fe+T} L ${It+T} ${Fe+cn}`},bl={path:s.flatMap((C,ue)=>r.map((It,Fe)=>fl(ue,Fe)?gl(ue,Fe):"")).join(""),stroke:X("hatching"),thickness:1};return{plan:{image:ml,left:b,top:H,width:q,height:le,isMirrored:c,labels:dl,frames:hl,hatching:bl},layout:{left:b,top:H,size:T,...Nt}}}function vc({rows:e,keys:t},{left:n,top:o,size:s,width:r,height:i,isMirrored:a}){let c={stroke:X("faint"),thickness:1},p=s*t,[d,h]=[{x:n,y:o,width:r,height:s*e,...c},{x:a?n+r-p:n,y:o,width:p,height:i,...c}];return[...e?[d]:[],...t?[h]:[]]}function Qr(e,t,n){let o=e.getContext("2d"),{plan:s,layout:r}=kc(o,t,n),{image:i,left:a,top:c,width:p,height:d,isMirrored:h,labels:f,frames:b,hatching:y}=s;Jo.set(e,s);let w=window.devicePixelRatio||1;e.width=Math.round((a+p+2)*w),e.height=Math.round((c+d+2)*w),e.style.width=`${a+p+2}px`,e.style.height=`${c+d+2}px`,o.scale(w,w),o.imageSmoothingEnabled=!1,o.save(),h&&o.transform(-1,0,0,1,2*a+p,0),o.drawImage(i,a,c,p,d),o.restore(),o.strokeStyle=y.stroke,o.lineWidth=y.thickness,o.stroke(new Path2D(y.path));for(let x of f)Yo(o,x);for(let x of b)o.strokeStyle=x.stroke,o.lineWidth=x.thickness,o.strokeRect(x.x,x.y,x.width,x.height);return r}function Yo(e,{text:t,x:n,y:o,isVertical:s,fill:r}){e.save(),e.translate(n,o),s&&e.rotate(-Math.PI/2),e.font=Nn,e.textAlign=s?"left":"right",e.textBaseline="middle",e.fillStyle=r,e.fillText(`⁨${t}⁩`,0,0),e.restore()}var Xt=12,Tc="select, input, textarea, .unseen, .explanation, .save, .peek, [data-unsaved]",Sc=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*Rc(e,t,n){let o=document.createRange(),s=e.parentElement,r=s instanceof SVGGraphicsElement?s.getScreenCTM().a:1;for(let{0:i,index:a}of e.data.matchAll(/\S+/gu)){o.setStart(e,a),o.setEnd(e,a+i.length);let{x:c,y:p,width:d,height:h}=o.getBoundingClientRect(),f=`${t.fontStyle} ${t.fontWeight} ${r*parseFloat(t.fontSize)}px ${t.fontFamily}`;d&&(yield{kind:"text",x:c,y:p,width:d,height:h,text:i,fill:n,font:f,direction:t.direction})}}function*Ac(e,{x:t,y:n,width:o,height:s},r){let i=zr(e);if(!i||!o)return;let{image:a,isMirrored:c}=i,p=i.width?{x:t+i.left,y:n+i.top,width:i.width,height:i.height}:{x:t,y:n,width:o,height:s};yield{kind:"cells",image:a,isMirrored:c,opacity:r,...p},i.hatching.path&&(yield{kind:"line",...{...p,...i.hatching,fill:"none",opacity:r,dashes:""},origin:[t,n],scale:[1,1]});for(let d of i.frames)yield{kind:"frame",radius:0,...d,x:t+d.x,y:n+d.y};for(let d of i.labels)yield{kind:"label",...d,x:t+d.x,y:n+d.y,width:0,height:0}}function*Ec(e,t,n){let{x:o,y:s,width:r,height:i}=n,a=parseFloat(t.borderRadius)||0,c=(d,h=2)=>({kind:"frame",stroke:d,thickness:h,radius:a,...n}),p=(d,h,f=2)=>({kind:"line",...n,path:d,origin:[o,s],scale:[1,1],fill:"none",stroke:h,thickness:f,opacity:1,dashes:""});e.matches(".cell")&&(yield c(t.borderTopColor,e.getAttribute("aria-pressed")==="true"?4:1.5)),e.matches(".cell.off")&&(yield p(`M 0 0 L ${r} ${i}`,X("ink"))),e.matches("del")&&(yield p(`M 0 ${i/2} L ${r} ${i/2}`,X("faint"),1)),e.matches('.token[aria-pressed="true"], .part.here')&&(yield c(X("accent"))),e.matches(".token.prefix-end")&&(yield c(X("ink"))),e.matches(".token.new, u.new")&&(yield p(`M 2 ${i-1} L ${r-2} ${i-1}`,X("ink")))}function Pc(e,t,{x:n,y:o,width:s,height:r}){let{a:i,d:a,e:c,f:p}=e.getScreenCTM();return{kind:"line",x:n,y:o,width:s,height:r,path:e.getAttribute("d"),origin:[c,p],scale:[i,a],fill:t.fill,stroke:t.stroke,thickness:parseFloat(t.strokeWidth),opacity:Number(t.opacity),dashes:t.strokeDasharray==="none"?"":t.strokeDasharray.replaceAll("px","")}}function*ei(e){let{x:t,y:n,width:o,height:s}=e.getBoundingClientRect(),r={x:t,y:n,width:o,height:s},i=getComputedStyle(e);if(e.matches(Tc)||i.visibility==="hidden")return;let a=e instanceof SVGElement,c=Number(i.opacity);if(e instanceof HTMLCanvasElement)yield*Ac(e,r,c);else if(e instanceof SVGPathElement)yield Pc(e,i,r);else if(e instanceof SVGRectElement)i.fill==="none"?yield{kind:"frame",...r,stroke:i.stroke,thickness:2,radius:4}:yield{kind:"box",...r,fill:i.fill,opacity:c,radius:0};else if(!a&&o&&!Sc(i.backgroundColor)){let p=parseFloat(i.borderRadius)||0;yield{kind:"box",...r,fill:i.backgroundColor,opacity:1,radius:p}}for(let p of e.childNodes)p instanceof Text?yield*Rc(p,i,a?i.fill:i.color):p instanceof Element&&p.tagName!=="title"&&(yield*ei(p));a||(yield*Ec(e,i,r))}function In(e){let{classList:t}=document.documentElement;t.add("saving");try{return Mc(e)}finally{t.remove("saving")}}function Mc(e){let t=[],n=Xt,o=0;for(let s of e.flatMap(r=>[...document.querySelectorAll(r)])){let r=s.getBoundingClientRect(),i=r.x-s.scrollLeft,a=r.y-s.scrollTop,c=n;for(let p of ei(s)){let d=p.x-i+Xt,h=p.y-a+n;t.push(p.kind==="line"?{...p,x:d,y:h,origin:[p.origin[0]-i+Xt,p.origin[1]-a+n]}:{...p,x:d,y:h}),o=Math.max(o,d+p.width),c=Math.max(c,h+p.height)}n=c+Xt}return{shapes:t,width:Math.ceil(o+Xt),height:Math.ceil(n),paper:X("paper")}}var Wn=2;function _c(e,t){let{x:n,y:o,width:s,height:r}=t;if(e.save(),t.kind==="box")e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,o,s,r,Math.min(t.radius,r/2)),e.fill();else if(t.kind==="frame")e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,o,s,r,t.radius),e.stroke();else if(t.kind==="cells")e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isMirrored&&e.transform(-1,0,0,1,2*n+s,0),e.drawImage(t.image,n,o,s,r);else if(t.kind==="label")Yo(e,t);else if(t.kind==="line"){e.globalAlpha=t.opacity,e.translate(...t.origin),e.scale(...t.scale),e.fillStyle=t.fill,e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]);let i=new Path2D(t.path);t.fill!=="none"&&e.fill(i),t.stroke!=="none"&&e.stroke(i)}else e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+s/2,o+r/2);e.restore()}function ti(e){let{shapes:t,width:n,height:o,paper:s}=In(e),r=document.createElement("canvas"),i=r.getContext("2d");r.width=Wn*n,r.height=Wn*o,i.scale(Wn,Wn),i.fillStyle=s,i.fillRect(0,0,n,o);for(let a of t)_c(i,a);return r}var Oc=3e5,Zo=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;");function fe(e,t,n=""){let o=Object.entries(t).map(([s,r])=>{let i=typeof r=="number"?String(Math.round(100*r)/100):Zo(r);return` ${s}="${i}"`});return n?`<${e}${o.join("")}>${n}</${e}>`:`<${e}${o.join("")}/>`}function Cc({image:e,isMirrored:t,opacity:n,...o}){let{data:s,width:r,height:i}=Vr(e),a=new Map,c=o.width/r,p=o.height/i,d=(f,b)=>{let y=f*r+(t?r-1-b:b);return[0,1,2].map(w=>s[4*y+w].toString(16).padStart(2,"0")).join("")};for(let f=0;f<i;f++)for(let b=0,y;b<r;b=y){let w=d(f,b);for(y=b+1;y<r&&d(f,y)===w;)y++;let x={x:o.x+b*c,y:o.y+f*p,width:(y-b)*c,height:p},T=a.get(w)??[];a.set(w,T),T.push(fe("rect",x))}let h=[...a].map(([f,b])=>fe("g",{fill:`#${f}`},b.join("")));return fe("g",{class:"cells",opacity:String(n),"shape-rendering":"crispEdges"},h.join(""))}function Lc({image:e,isMirrored:t,opacity:n,x:o,y:s,width:r,height:i}){let a=document.createElement("canvas");return a.width=e.width,a.height=e.height,a.getContext("2d").drawImage(e,0,0),fe("image",{x:o,y:s,width:r,height:i,...t?{transform:`matrix(-1 0 0 1 ${2*o+r} 0)`}:{},opacity:String(n),preserveAspectRatio:"none",style:"image-rendering:pixelated",href:a.toDataURL()})}function Hc(e){let{x:t,y:n,width:o,height:s}=e,r={x:t,y:n,width:o,height:s};switch(e.kind){case"box":{let i=Math.min(e.radius,s/2);return fe("rect",{...r,rx:i,fill:e.fill,opacity:String(e.opacity)})}case"frame":{let{stroke:i,thickness:a,radius:c}=e;return fe("rect",{...r,rx:c,fill:"none",stroke:i,"stroke-width":String(a)})}case"cells":return e.image.width*e.image.height>Oc?Lc(e):Cc(e);case"label":{let i={x:t,y:n,"text-anchor":e.isVertical?"start":"end","dominant-baseline":"central",...e.isVertical?{transform:`rotate(-90 ${t} ${n})`}:{},fill:e.fill,style:`font:${Nn}`};return fe("text",i,`⁨${Zo(e.text)}⁩`)}case"line":return fe("path",{d:e.path,transform:`translate(${e.origin.join(" ")}) scale(${e.scale.join(" ")})`,fill:e.fill,stroke:e.stroke,"stroke-width":String(e.thickness),opacity:String(e.opacity),...e.dashes?{"stroke-dasharray":e.dashes}:{}});case"text":{let i={x:t+o/2,y:n+s/2,"text-anchor":"middle","dominant-baseline":"central",direction:e.direction,fill:e.fill,style:`font:${e.font}`};return fe("text",i,Zo(e.text))}}}function ni(e){let{shapes:t,width:n,height:o,paper:s}=In(e),i=[`<rect width="${n}" height="${o}" fill="${s}"/>`,...t.map(Hc)].join(`
`),a={width:n,height:o,viewBox:`0 0 ${n} ${o}`};return`${fe("svg",{xmlns:"http://www.w3.org/2000/svg",...a},`${i}
`)}
`}function oi(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var Ze=(e,t,n="text/plain")=>oi(e,new Blob([t],{type:n}));function Nc(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function si(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",si);addEventListener("pointerdown",si);function _(e,t,n,o){let s={PNG:()=>ti(t).toBlob(i=>{i&&oi(`${e}.png`,i)}),SVG:()=>Ze(`${e}.svg`,ni(t),"image/svg+xml"),CSV:()=>Ze(`${e}.csv`,Nc(n()),"text/csv"),JSON:()=>Ze(`${e}.json`,`${JSON.stringify(o(),null,2)}
`,"application/json")},r=i=>{i.currentTarget.closest("details").open=!1};return u`<details class="save">
    <summary aria-label="Save: ${e}">Save</summary>
    <span class="files"
      >${Object.entries(s).map(([i,a])=>u`<button
            type="button"
            aria-label="${e} as ${i}"
            @click=${c=>{a(),r(c)}}
            >${i}</button
          >`)}</span
    >
  </details>`}var Qo=()=>matchMedia("(prefers-reduced-motion: reduce)").matches?"auto":"smooth";function Tt(e){requestAnimationFrame(()=>{let t=document.querySelector(e);if(!t)return;let{top:n}=t.getBoundingClientRect();n>=0&&n<innerHeight/2||t.scrollIntoView({behavior:Qo(),block:"start"})})}var $e={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},Qe=e=>(...t)=>({_$litDirective$:e,values:t}),Ne=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,o){this._$Ct=t,this._$AM=n,this._$Ci=o}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var es=class extends Ne{current={};render(t){}update(t,[n]){let{style:o}=t.element;for(let[s,r]of Object.entries(n))this.current[s]!==r&&o.setProperty(s,r);for(let s of Object.keys(this.current))s in n||o.removeProperty(s);this.current=n}},E=Qe(es);var Ic={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","A head is one way of looking; each layer has several. cross.1.2 is its name in Python and in commands: head 2 of layer 1, both counted from 0, as everywhere on this page. Encoder: the text looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the text. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a place looks at a token, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells, which then have no weight: tokens that are not written yet, what is outside a window, and, in a batch of several texts, padding, which is no word. This page reads one text at a time, so it has no padding."],flow:["Through all layers","Three ways to follow the output back to the input. Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat beside the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, the token after an earlier same one (induction), a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Spread, or entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],value:["Value","A list of numbers that the head makes of a token, beside its key. The key says how well the token fits the query; the value is what it gives. Strips are as strong as the weight."],logit:["Logit","The output layer gives each token a number, its logit; softmax makes probabilities of them. The norm before it is held as it is. What later layers make of the head is not counted."],stream:["The state of a token","Each token has a list of numbers, its state. It begins as the embedding; each attention and each feed-forward layer reads it and adds a list of its own. The wider a stream is drawn, the longer its list: the square root of the sum of squares."],lookup:["Query, key, softmax","Query and key are lists of numbers. The head makes the query where a token is about to be written, of what was read up to there, and a key of each token that is looked at. Softmax turns scores into weights: e to the score, divided by the sum over the row."],temperature:["Temperature","Scores are divided by it before softmax. Below 1, the highest score takes more of the weight; above 1, all become more alike. The factor 1 ÷ √d does the same: d products add up to numbers of about √d, and without the factor one key would take nearly all of the weight."],"beam-search":["Beam search","Several beginnings of a translation are kept. Each is continued by its likeliest tokens; of all these, the best sums of log-probabilities are kept."],"log-probability":["Log-probability","The natural logarithm of a probability, in nats. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],patching:["Patching","What would the model say if it had, at one place, the state that it has when it reads another text? Weights say where a head looks; this says what a state does."],difference:["Difference of log-probabilities","In nats. Above 0, the first token is more likely than the second; plus 0.69 nats, twice as likely."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]},Bn="In nats: −0.69 halves a probability, +0.69 doubles it.",Dn=8;function Wc(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect(),o=Math.max(Dn,Math.min(n.left,innerWidth-t.offsetWidth-Dn)),r=n.bottom+t.offsetHeight+Dn<innerHeight?n.bottom+4:Math.max(Dn,n.top-t.offsetHeight-4);t.style.left=`${o}px`,t.style.top=`${r}px`}function v(e,t){let[n,o]=Ic[e];return u`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}">${t}</button
    ><span id="term-${e}" class="explanation" popover @toggle=${Wc}
      ><b>${n}.</b> ${o}</span
    ></span
  >`}var Dc=24,Bc=.5,Fc=.1;function qc(){let{ablations:e=[]}=l.inspection.result;if(!e.length)return m;let t=()=>[["heads","change","text"],...e.map(o=>[o.heads.join(" "),o.log_prob_change,o.text])],n=e.map(o=>u`<tr>
        <td>${o.heads.join(", ")}</td>
        <td class="number">${o.log_prob_change.toFixed(4)}</td>
        <td dir="auto">${o.text}</td>
      </tr>`);return u`<section class="panel without" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without heads</h2>
      ${_("without",["#ablations"],t,()=>e)}
    </div>
    <table id="ablations">
      <thead>
        <tr>
          <th>heads</th>
          <th>change, ${v("nats","nats")} per token</th>
          <th>what the model writes then</th>
        </tr>
      </thead>
      <tbody> ${n} </tbody>
    </table>
  </section>`}var zt=e=>e.reduce((t,n)=>t+n,0);function Jt(e,t){let n=e.toFixed(t);return Number(n)===0?n.replace("-",""):`${e>0?"+":""}${n}`}var Fn=(e,t)=>u`<p class="legend">
    <span><i class="less"></i> less likely ${e}</span>
    <span><i class="more"></i> more likely</span>
    ${t?u`<span class="unit">${Bn}</span>`:m}
  </p>`;function qn(e,t,n,o=0){let s=Math.max(n?Bc:Fc,...t.map(Math.abs)),r=(i,a)=>{let c=$(e[a]??""),p=Jt(i,2),h={width:`${Number(p)===0?0:50*Math.abs(i)/s}%`,[i<0?"right":"left"]:"50%"},f=a<o?", given":"";return u`<div
      class="change ${$t(a,o)}"
      role="listitem"
      aria-label="${c}${f} ${i.toFixed(2)} ${n}"
    >
      <bdi>${c}</bdi>
      <span class="track two"><span class=${i<0?"less":"more"} ${E(h)}></span></span>
      <span class="number">${p}</span>
    </div>`};return u`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map(r)}
  </div>`}function Uc({token_changes:e,log_prob_change:t,text:n}){let o=l.heads.ablatedSentence,s=zt(e),r=A()?"translation":"text",i=o.prefix?"It begins with what you wrote, as the one above does.":"You chose the one above; this is the best that was found.",a=o.prefix!==""||o.edit?.kind==="translation",c=n===o.text;return u`<p>
      Written then${c?", the same as with all heads":""}:
      <bdi class="strong" id="written-then">${Ye(n,o.text)}</bdi>
    </p>
    ${a?u`<p class="hint" id="same-prefix">${i}</p>`:m}
    <p>
      The log-probability of the ${r} above changes by
      <span class="strong number" id="sum">${Jt(s,3)}</span> ${v("nats","nats")},
      <span class="strong number" id="change">${t.toFixed(3)}</span> per token, where each token follows the same
      words as above:
    </p>
    ${Fn("without the heads","nats")}
    ${qn(Pe(o),e,"nats",On(o))}
    <p class="hint"
      >The larger the change, the more the ${r} depends on what these heads look at. Weights alone do not tell. The
      other panels show the model with all its heads.</p
    >`}function Gc({predicted:e=[]}){let t=l.inspection.result.predicted??[],n=t.map(i=>i.label),o=new Map(e.map(({label:i,prob:a})=>[i,a])),s=new Set(n).size===n.length&&n.every(i=>o.has(i));if(!e.length||!s){let i=e.map(a=>a.label).join(" ");return u`<p>
      Said then: <bdi class="strong" id="written-then">${Ye(i,n.join(" "))}</bdi>
    </p>`}let r=t.map(({label:i,prob:a})=>o.get(i)-a);return u`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${Fn("without the heads","")} ${qn(n,r,"")}`}function jc(){let{disabled:e}=l.heads;if(!e.length)return u`<p class="hint">
      Switch a head off: this shows how the probability of each token changes, and what the model
      ${Y()?"writes":"says"} instead.
    </p>`;let t=n=>u`<button class="chip" title="Switch on" aria-label="Switch ${n} on" @click=${()=>void yt([n])}
      >${n} ✕</button
    >`;return u`<p class="chips"
    >${e.length>Dc?`${e.length} heads are off.`:e.map(t)}</p
  >`}function ri(){let{ablation:e,ablatedSentence:t,disabled:n}=l.heads;if(!e||!n.length)return m;let{heads:o}=e,s=o.length===1?o[0]:`these ${o.length} heads`,r=A()?"translation":"text",i=e.text===t?.text,a=zt(e.token_changes),c=Y()?`${i?"the same":"another"} ${r}, ${Jt(a,2)} nats`:"the change";return u`<button
    class="link short ${Ao()?"stale":""}"
    id="to-change"
    data-unsaved
    @click=${()=>Tt(".panel.without")}
    >Without ${s}: ${c}</button
  >`}function Vc(e){let{predicted:t,token_changes:n}=e,o=Pe(l.heads.ablatedSentence);return _("without",["#written-then",".without .changes"],()=>t?.length?[["label","probability"],...t.map(({label:r,prob:i})=>[r,i])]:[["token","change"],...n.map((r,i)=>[o[i]??"",r])],()=>e)}function ii(){let{result:e,sentence:t}=l.inspection,{ablation:n,disabled:o,undoStack:s}=l.heads;if(!e||!t)return m;if(l.server.storedPage)return qc();if(!oe())return m;let r=D()||Ao(),i=p=>u`${Y()?Uc(p):Gc(p)}
      <p class="hint">
        The model was never trained without them: this is what they are worth here, not what another model could do.
      </p>`,a=u`<button id="all-on" @click=${()=>void ye([])}>Switch all on</button>`,c=u`<button id="undo" @click=${()=>void Or()}>Undo</button>`;return u`<section class="panel without ${r?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without these heads</h2>
      ${o.length?a:m} ${s.length?c:m}
      ${n?Vc(n):m}
    </div>
    ${jc()} ${n?i(n):m}
  </section>`}var{I:rf}=Js;var Un=e=>e.strings===void 0;var Kc={},ai=(e,t=Kc)=>e._$AH=t;var O=Qe(class extends Ne{constructor(e){if(super(e),e.type!==$e.PROPERTY&&e.type!==$e.ATTRIBUTE&&e.type!==$e.BOOLEAN_ATTRIBUTE)throw Error("The `live` directive is not allowed on child or event bindings");if(!Un(e))throw Error("`live` bindings can only contain a single expression")}render(e){return e}update(e,[t]){if(t===pe||t===m)return t;let n=e.element,o=e.name;if(e.type===$e.PROPERTY){if(t===n[o])return pe}else if(e.type===$e.BOOLEAN_ATTRIBUTE){if(!!t===n.hasAttribute(o))return pe}else if(e.type===$e.ATTRIBUTE&&n.getAttribute(o)===t+"")return pe;return ai(e),t}});var Yt=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let o of n)o._$AO?.(t,!1),Yt(o,t);return!0},Gn=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},li=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Jc(t)}};function Xc(e){this._$AN!==void 0?(Gn(this),this._$AM=e,li(this)):this._$AM=e}function zc(e,t=!1,n=0){let o=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(o))for(let r=n;r<o.length;r++)Yt(o[r],!1),Gn(o[r]);else o!=null&&(Yt(o,!1),Gn(o));else Yt(this,e)}var Jc=e=>{e.type==$e.CHILD&&(e._$AP??=zc,e._$AQ??=Xc)},jn=class extends Ne{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,o){super._$AT(t,n,o),li(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(Yt(this,t),Gn(this))}setValue(t){if(Un(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var ts=new WeakMap,St=Qe(class extends jn{render(e){return m}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),m}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=ts.get(t);n===void 0&&(n=new WeakMap,ts.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?ts.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});function Yc({spelled:e,offsets:t},n){let o=[...n],s=0;return e.map((r,i)=>{let a=Math.max(s,t[i]?.[1]??0),c=t[i]?"":o.slice(s).join("");r.trim()&&c.trimStart().startsWith(r)&&(a=s+[...c.slice(0,c.indexOf(r)+r.length)].length),r.replaceAll("▁","")||(a=s+/^\s*/u.exec(o.slice(s,a).join(""))[0].length);let p=o.slice(s,a).join("");return s=a,p})}var ci=/^▁?(<unk>|\[UNK\])$/;function Zc(e,t){let n=t.trim();return ci.test(e)&&n&&!ci.test(n)?`<unk: ${n}>`:e}function Kn(e,t){let n=l.view.groupsWords?Wr(e):e.spelled.map((r,i)=>[i]),o=Yc(e,t),s=e.spelled.map((r,i)=>Zc(r,o[i]));return{groups:n,labels:n.map(r=>r.map(i=>s[i]).join("")),pieces:n.map(r=>r.map(i=>o[i]).join("")),direction:se(t),numGiven:n.filter(r=>r.at(-1)<Cr()).length}}function ui({groups:e},t){let n=e.findIndex(o=>o.at(-1)>=t);return n<0?e.length-1:n}function pi(e,t,n,o,s){let r=l.view.groupsWords?Dr(t,n.groups,o.groups):t,i=ui(n,s.row),a=vt(r,i),c=a.indexOf(Math.max(...a)),p=s.key!==null&&s.key<t.keys;return{kind:e,weights:r,rows:n,keys:o,row:i,bestKey:c,key:p?ui(o,s.key):c}}function Qc({rows:e,keys:t,shares:n,inspection:o}){let{text:s,target:r,token_log_probs:i}=o,a=Kn(e,r??s),c=Kn(t,s),{outputPosition:p,inputPosition:d}=l.view,h=r===null&&i.length>0,f=h?p-1:p,b=pi("flow",Nr(n),a,c,{row:f,key:d});return h&&(a.groups=a.groups.map(y=>y.map(w=>w+1)),a.numGiven=Math.max(0,a.numGiven-1)),b}function eu(){let{tokens:e,weights:t}=l.inspection.result,{head:n}=l.view,o=[...t.keys()],s=o.filter(a=>n===`${j}${M(a)}`);if(s.length)return s;let r=Object.keys(e),i=r.includes("cross")?"cross":r.at(-1);return o.filter(a=>a.startsWith(`${i}.`))}var Vn=null;function tu(e){return Vn?.heads.length===e.length&&e.every((n,o)=>n===Vn.heads[o])||(Vn={heads:e,mean:Ir(e)}),Vn.mean}var di=({text:e,target:t},n)=>n==="decoder"?t??e:e,hi=e=>se(di(l.inspection.result,e.split(".")[0]))==="rtl";function Ie(){let{result:e,flow:t}=l.inspection,{head:n,outputPosition:o,inputPosition:s,keyPosition:r}=l.view;if(!e)return null;if(n.startsWith(I))return t&&Qc(t);let{text:i,target:a,weights:c}=e,p=c.has(n)?[n]:eu(),d=p[0].split(".")[0],h=e.tokens[d],f=p.map(T=>c.get(T)),b=Kn(h.rows,d==="encoder"?i:a??i),y=Kn(h.keys,di(e,d)),w=h.rows.spelled.length-1,x=Eo(d)?{row:Math.min(o,w),key:s}:{row:Math.min(s??0,w),key:r};return pi(d,f.length>1?tu(f):f[0],b,y,x)}function z({kind:e,rows:t,keys:n},o,s){let r=({groups:c},p)=>c[Math.max(0,Math.min(p,c.length-1))][0],i=r(t,o),a=r(n,s);Eo(e)?g({view:{outputPosition:i,inputPosition:a}}):g({view:{inputPosition:i,keyPosition:a}})}function nu(e){return Le(e)?"neutral":/\p{Letter}/u.test(e)?se(e):/\p{Number}/u.test(e)?"number":"neutral"}function ou(e,t,n){return/^[,.:/]$/u.test(e[n])&&t[n-1]==="number"&&t[n+1]==="number"&&!/^[\s▁]/u.test(e[n+1])}function re(e,t){let n=e.map(nu);if(t==="ltr"&&!n.includes("rtl"))return e.map(()=>0);let o=t;n.forEach((i,a)=>{ou(e,n,a)&&(n[a]="number"),i==="ltr"||i==="rtl"?o=i:n[a]==="number"&&o==="ltr"&&(n[a]="ltr")});let s=i=>i===void 0?t:i==="ltr"?"ltr":"rtl",r=(i,a)=>{let c=i;if(i==="neutral"){let p=s(n.slice(0,a).findLast(h=>h!=="neutral")),d=s(n.slice(a+1).find(h=>h!=="neutral"));c=p===d?p:t}return c==="rtl"?1:t==="rtl"||c==="number"?2:0};return n.map(r)}function mi(e){let t=e.map((n,o)=>o);for(let n=Math.max(0,...e);n>0;n--)for(let o=0;o<t.length;o++){let s=o;for(;s<t.length&&e[t[s]]>=n;)s++;t.splice(o,s-o,...t.slice(o,s).reverse()),o=Math.max(o,s)}return t}var ie=(e,t)=>/\p{Letter}/u.test(e)?"auto":t%2?"rtl":"ltr";function Zt(e,t,n){let o=n==="rtl"?1:0,s=(r,i,a)=>{let c=[];for(let p=r;p<i;){let{space:d,box:h}=e[p];(a===o||p>r)&&c.push(d);let f=p;for(;p<i&&t[p]>a;)p++;if(p===f)c.push(h),p++;else{let b=s(f,p,a+1);c.push(u`<span dir=${a%2?"ltr":"rtl"}>${b}</span>`)}}return c};return s(0,e.length,o)}var su=[/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u];function Xn(e,t,n,o){let s=[];e.forEach(({space:i,box:a},c)=>{let p=n[c],d=s.at(-1),h=`${t[c-1]}${t[c]}`,f=i===m&&!su.some(b=>b.test(h));d?.level===p&&f?d.parts.push(a):s.push({space:i,box:a,level:p,parts:[a]})});for(let i of s)i.parts.length>1&&(i.box=u`<span class="kept">${i.parts}</span>`);let r=s.map(({level:i})=>i);return Zt(s,r,o)}var fi=12;function te(e,t=1){let n=Z("paper"),o=Z(e);return u`<span class="ramp" aria-hidden="true"
    >${Array.from({length:fi},(s,r)=>{let i=n.map((a,c)=>Math.round(a+t*r/(fi-1)*(o[c]-a)));return u`<i ${E({background:`rgb(${i.join(", ")})`})}></i>`})}</span
  >`}var L=e=>e.target.value,xe=e=>e.target.checked,Rt=e=>e.ctrlKey||e.metaKey||e.altKey,zn=e=>e.key==="Enter"&&(e.ctrlKey||e.metaKey);var At=e=>JSON.stringify([l.request.modelName,e.source,l.request.beamSize,e.prefix]);async function ke(){let e=k();e?.isDone&&await P("search","Searching",async t=>{let n=At(e),o={...Q(),text:e.source,beam_size:l.request.beamSize,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},s=await W("translate",o,t),r=k();r&&At(r)===n&&g({search:{trace:{...s,requestKey:n,source:e.source},candidate:null}})},ke)}function ru(e,{weights:t}){return e==="mean"||t.has(e)||Ae.some(n=>e===`${I}${n}`)?!0:[...t.keys()].some(n=>e===`${j}${M(n)}`)}function Qt(e,t,n=null){let{head:o,outputPosition:s}=l.view,r=l.heads.disabled.filter(i=>e.weights.has(i));Ke({inspection:{result:e},trial:{otherText:null,patched:null}}),g({inspection:{result:e,sentence:t,snapshot:n,modelName:l.request.modelName},heads:{disabled:r,importance:null,importanceByToken:{}},view:{head:ru(o,e)?o:be(),outputPosition:Math.max(0,Math.min(s,t.tokens.length-1))}},r.length?{}:{heads:{ablation:null,ablatedSentence:null}}),l.view.head.startsWith(I)&&ne(l.view.head)}async function J(){let e=k();if(!e?.isDone||!A()||(await P("inspect","Looking inside",async n=>{Qt(await pt(bt(e),n),e)},J),F()))return;l.heads.disabled.length&&await he();let{trace:t}=l.search;t?.source===e.source&&t.requestKey!==At(e)&&await ke()}async function en(e){let t=k();t?.isDone&&(g({inspection:{snapshot:e}}),await P("inspect","Loading a snapshot",async n=>{let o={...bt(t),snapshot:e,..._n(t)};Qt(await pt(o,n),t,e)},()=>en(e)))}async function ne(e){let t=l.inspection.result;if(!e.startsWith(I)||!t)return g({view:{head:e},inspection:{flow:null}});let{head:n}=l.view,o=()=>l.inspection.result===t&&l.view.head===n;await P("flow","Following the layers",async s=>{let r=await ut(t,`flow/${e.slice(I.length)}`,s);o()&&g({view:{head:e},inspection:{flow:{...r,inspection:t}}})},async()=>o()?await ne(e):void 0)}var gi="";function yi(e){let{result:t,lookup:n}=l.inspection,{head:o,showsComputation:s}=l.view;if(!t?.weights.has(o)||!s||F())return;let r=is(e),i=gi===r&&(Gt("lookup")||l.status.error!=="");n?.cell===r||i||(gi=r,P("lookup","",async a=>{let c=await ut(t,`lookup/${o}/${e.row}/${e.key}`,a);g({inspection:{lookup:{result:c,view:e,cell:r}}})},null))}var Et=()=>S()?.no_parts??"",bi={writes:"",stream:"",next:""};function ns(e,t,n,o){let{result:s}=l.inspection;if(!s||F())return;let r=bi[e]===t&&(Gt(e)||l.status.error!=="");l.inspection[e]?.cell===t||r||(bi[e]=t,P(e,"",async i=>{o(await ut(s,n,i))},null))}function $i(e){let{head:t}=l.view;if(!l.inspection.result?.weights.has(t)||Et())return;let n=We(e.row,t);ns("writes",n,`writes/${t}/${e.row}`,o=>{g({inspection:{writes:{result:o,view:e,cell:n}}})})}function xi(e){let t=We(e);Et()||ns("stream",t,`stream/${e}`,n=>{g({inspection:{stream:{result:n,cell:t}}})})}function ki(e){let{temperature:t,topK:n,topP:o}=l.trial.sampling,s=`temperature=${t}&top_k=${n}&top_p=${o}`,r=We(e,s);return ns("next",r,`next/${e}?${s}`,i=>{g({inspection:{next:{result:i,cell:r}}})}),r}async function os(e,t){let{result:n}=l.inspection;!n||F()||await P("experiment","Trying",async o=>{let s=`experiment/${e}?seed=${t}`,r=await ut(n,s,o);g({inspection:{experiment:{result:r,inspection:n}}})},()=>os(e,t))}var ss=()=>A()?l.inspection.sentence?.prefix??"":"";async function rs(e){let{result:t}=l.inspection;!t||F()||await P("patching","Patching",async n=>{let o=ss(),s=o?`&prefix=${encodeURIComponent(o)}`:"",r=`patch?other=${encodeURIComponent(e)}${s}&stream=true`,i=await hr(t,r,n,(a,c)=>dt("patching",`Patching: ${a} of ${c} runs of the model`));g({inspection:{patching:{result:i,other:e,inspection:t}},trial:{patched:iu(i)}})},()=>rs(e))}function iu({effects:e}){let[t,n]=Object.entries(e)[0],o=n.flatMap((r,i)=>r.map((a,c)=>({stack:t,layer:i,position:c,effect:a}))),[s]=o.sort((r,i)=>Number(i.effect.toFixed(2))-Number(r.effect.toFixed(2))||r.layer-i.layer);return s??null}var au=0,wi=new WeakMap;function We(e,t=""){let n=l.inspection.result,o=wi.get(n)??++au;return wi.set(n,o),`${o}/${t}/${e}`}var is=({row:e,key:t})=>`${We(e,l.view.head)}/${t}`;function vi(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function lu(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function Jn(e){let{text:t,target:n,tokens:o,token_log_probs:s}=e,{spelled:r,offsets:i}=Object.values(o).at(-1).rows,a=n!==null&&r.length>1&&i.at(-1)===null,c=n===null?1:0;return{...xt(),source:t,text:n??t,isDone:!0,tokens:(a?r.slice(0,-1):r).map((p,d)=>({token:p,log_prob:s[d-c]??null,alternatives:[]}))}}async function cu({packed:e,bytes:t,parts:n}){let o=await lu(e),s=t===2?new Uint16Array(o):new Uint8Array(o),r=t===2?65535:255,i=new Map,a=0;for(let{heads:c,rows:p,keys:d}of n)for(let h of c){let f=a+p*d;i.set(h,{rows:p,keys:d,values:s.subarray(a,f),scale:r-1,forbidden:r}),a=f}return i}async function Ti(e){let t=await cu(e),n={...e.inspection,request:{},weights:t},o=Jn(n),{text:s}=n;Sn(),Ke({server:{storedPage:{note:e.note,says:e.says,canLens:e.can_lens}},inspection:{result:n,sentence:o},output:{sentences:[o],sourceText:s},request:{text:s}});let{head:r}=l.view;g({view:{head:t.has(r)?r:e.first,sentenceIndex:0},heads:{disabled:[]}})}var uu=5;async function De(){Me(),await Yn()}async function Si(){let{text:e}=l.request,t=K(),n=()=>t!==null&&K()===t&&l.request.text===e&&!l.status.error;await Yn();for(let o of t?.edits??[])n()&&await pu(o);t&&n()&&await du(t,n),K()===t&&!l.status.error&&Me(),g({})}async function pu({sentenceIndex:e,edit:t}){if(!l.output.sentences[e]?.isDone)return;let{sentenceIndex:n,outputPosition:o}=l.view;g({view:{sentenceIndex:e}}),await(t.kind==="prefix"?ls(t.position,t.token,t.prefix):et(t)),g({view:{sentenceIndex:n,outputPosition:o}}),e!==n&&await J()}async function du(e,t){let{snapshot:n,compared:o,tracesSearch:s,ranksHeads:r}=e,{sortBy:i}=l.heads;s&&t()&&await ke(),r&&t()&&await Je(),g({heads:{sortBy:i}}),o&&t()&&await Pt(o),n!==null&&S()?.snapshots?.includes(n)&&t()&&await en(n)}async function Yn(){let{text:e,isHtml:t}=l.request;if(Oe("inspect"),!A())return;if(!e.trim())return Oe("translate"),g(...bn);if(t)return await hu(e);await P("translate","Translating",async o=>{let s=gt(),r={...Q(),...s,text:e,alternatives:ft};await Ri(r,o,{decoding:s},i=>{let a=Math.max(0,Math.min(l.view.sentenceIndex,i.length-1));g({output:{sentences:i,sourceText:e,html:"",compared:null,options:null},view:{hoveredToken:null,sentenceIndex:a}})})},Yn)&&k()?.isDone&&await J()}async function hu(e){await P("translate","Translating",async t=>{let n={...Q(),...gt(),text:e,format:"html"},{text:o}=await W("translate",n,t);g({output:{html:o,sourceText:e,sentences:[]}},So)},Yn)}async function Ri(e,t,n,o){let s=l.request.temperature?{}:{n_best:Math.min(l.request.beamSize,uu)},r=[];for await(let{name:i,data:a}of dr({...e,...s},t)){if(t.aborted)return;if(i==="meta"){for(let c=0;c<a.sentences;c++)r.push({...xt(),index:c,...n});continue}if(i==="error")throw new U(a.status,a.message);if(i==="token"){let c=r[a.sentence];c.text=a.text,c.tokens.push(...a.tokens??[])}else i==="done"&&mu(r,a,n.separator);g({output:{isEarlier:!1}}),o(r)}}function mu(e,{text:t,sentences:n},o){let s=0;n.forEach((r,i)=>{let{text:a,score:c,source:p,ids:d,n_best:h=[]}=r,f=Math.max(t.indexOf(a,s),s),b={text:a,score:c,source:p,ids:d,nBest:h,isDone:!0,separator:o??t.slice(s,f)};Go(Object.assign(e[i],b),r),s=f+a.length})}function Ai(){let e=Object.values(l.inspection.result?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var Ei=e=>!Le(e)||A()&&e===Ai();async function as(e,t){let n=k();if(!n?.isDone)return;let o=n.tokens.slice(0,e).map(s=>s.token);G(),await Zn(async()=>{t===Ai()?await et({text:ee(o),ids:n.ids.slice(0,e)}):await ls(e,t,ee([...o,t]))})}async function Zn(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),ht(()=>{let{activeElement:n}=document,o=!n||n===document.body||n.disabled;if(!t||!o)return;(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()})}async function ls(e,t,n){let o=k(),{sentences:s}=l.output,{sentenceIndex:r}=l.view;if(!o?.isDone)return;let{source:i,separator:a}=o,c=gt(),p={...Q(),...c,text:i,prefix:n,split:!1,alternatives:ft},d={kind:"prefix",position:e,token:t,prefix:n},h={source:i,separator:a,decoding:c,prefix:n,original:o.original??o,edit:d},f=s,b=await P("translate","Decoding again",async w=>{await Ri(p,w,h,([x])=>{f=s.with(r,x),g({output:{sentences:f,compared:null},view:{outputPosition:e}})})},()=>ls(e,t,n));f!==s&&l.output.sentences===f&&!f[r].isDone&&g({output:{sentences:s}}),b&&k()?.isDone&&await J()}async function cs(){let{original:e}=k()??{};e&&(G(),await Zn(async()=>{let{sentenceIndex:t,outputPosition:n}=l.view;g({output:{sentences:l.output.sentences.with(t,e),compared:null},view:{outputPosition:Math.min(n,e.tokens.length-1)}}),await J()}))}async function Pi(e,{text:t,ids:n},o){let s=n.length?{target_ids:n}:{target_text:t},r={...Q(),text:e.source,...s,alternatives:ft},i=await W("score",r,o),a={...e,text:t,ids:i.ids,original:e.original??e,edit:{kind:"translation",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return Go(a,{...i,tokens:i.tokens.slice(0,-1)}),a}async function Pt(e){let t=k(),{compared:n}=l.output;if(!t||n&&Ln(n,e))return g({output:{compared:null}});await P("compare","Reading",async o=>{g({output:{compared:await Pi(t,e,o)}})},async()=>k()===t?await Pt(e):void 0)}async function et(e){let t=k(),{sentenceIndex:n}=l.view;if(!t)return;await P("translate","Reading",async s=>{let r=await Pi(t,e,s),i=Math.max(0,Math.min(l.view.outputPosition,r.tokens.length-1));g({output:{sentences:l.output.sentences.with(n,r),compared:null},view:{outputPosition:i,hoveredToken:null}})},()=>et(e))&&await J()}var Mi=[20,50,100,200];async function fu(e,t,n){let o={model:S().name,prompt:e,...t,logprobs:ft,echo:!0},{choices:s,usage:r}=await W("v1/completions",o,n),{text:i,logprobs:a}=s[0];if(!a)throw new Error("The server must send the log-probabilities that were asked for.");let c=a.tokens.map((p,d)=>({token:p.replaceAll(" ","▁"),log_prob:a.token_logprobs[d]??null,alternatives:Object.entries(a.top_logprobs[d]??{}).sort((h,f)=>f[1]-h[1])}));return{text:i,ids:a.token_ids,tokens:c,numGiven:r.prompt_tokens}}function gu({ids:e,numGiven:t},n){let o=e.findIndex((s,r)=>r>=t||s!==n[r]);return o<0?t:o}async function bu(e,t){let{name:n,max_tokens:o}=S(),s=o??1/0;if(!e.trim())return s-1;let{tokens:r}=await W("inspect",{model:n,text:e},t);return s-Object.values(r)[0].keys.spelled.length}async function Qn(e=null){let{text:t}=l.request,n=e?.prefix??t,o=e&&(k()?.original??k()??null);await P("translate","Writing",async s=>{let{name:r,max_tokens:i}=S(),{temperature:a,seed:c,maxTokens:p}=l.request,d=Math.min(p,await bu(n,s));if(d<1)throw new Error(`The text has as many tokens as the model can read: ${i}.`);let h={max_tokens:d,temperature:a,seed:c},{text:f,tokens:b,ids:y,numGiven:w}=await fu(n,h,s),x=y.slice(0,i??y.length),T=await pt({model:r,text:f,ids:x},s),R=Jn(T).tokens,H={...xt(),source:n,text:f,ids:x,decoding:h,original:o,edit:e,isDone:!0,numGiven:o?gu(o,x):Math.min(w,x.length),tokens:R.map((le,ce)=>({...le,alternatives:b[ce]?.alternatives??[]}))},q=Math.max(0,Math.min(e?.position??0,R.length-1));g({output:{sentences:[H],sourceText:t,attribution:null,options:{temperature:a,seed:c,maxTokens:p}},view:{sentenceIndex:0,outputPosition:q,hoveredToken:null},search:{trace:null}}),Qt(T,H)},()=>Qn(e)),l.heads.disabled.length&&!F()&&await he()}async function us(e,t){let n=k().tokens.slice(0,e),o=ee([...n.map(s=>s.token).filter(s=>!Le(s)),t]);G(),await Zn(()=>Qn({kind:"prefix",position:e,token:t,prefix:o}))}async function _i(){let{text:e}=l.request;await P("translate","Reading",async t=>{let n=await pt({model:S().name,text:e},t),o=Jn(n),s=n.predicted?.length?await W(`inspect/${n.id}/flow/gradient`,void 0,t):null;g({output:{sentences:[o],sourceText:e,options:null,attribution:s&&{...s,inspection:n}},view:{sentenceIndex:0,outputPosition:0},search:{trace:null}}),Qt(n,o)},_i),l.heads.disabled.length&&!F()&&await he()}async function tn(){Me(),G(),await nn()}async function nn(){if(A())return await Si();let e=K(),{outputPosition:t}=l.view,n=S()?.arch==="decoder",o=()=>e!==null&&K()===e&&!l.status.error;await(n?Qn():_i());for(let{edit:s}of e?.edits??[])o()&&s.kind==="prefix"&&n&&await Qn(s);if(e?.ranksHeads&&o()&&await Je(),o()){Me();let s=(k()?.tokens.length??1)-1;g({view:{outputPosition:Math.max(0,Math.min(t,s))}})}}function eo(){let[e]=S()?.examples??[];e&&!l.request.text&&g({request:{text:e},output:{isExample:!0}})}function Oi(e){let t=S();g({request:{modelName:e},heads:{disabled:[]},view:{head:"",outputPosition:0,inputPosition:null,keyPosition:null},tokenCounts:{total:null},...l.output.isExample?{request:{modelName:e,text:""},output:{isExample:!1}}:{}}),eo(),ps(t),l.request.text.trim()&&tn()}function ps(e){let t=S();e!==t&&g({heads:{undoStack:[]}});let n=e?.arch===t?.arch&&e?.task===t?.task,o=!!e?.direction;(!n||o!==A()||!l.request.text.trim())&&g(...bn)}var to=[0,.5,.8,1,1.3],Mt=(e,t,n)=>u`<option value=${e} .selected=${O(n)}>${t}</option>`,wu=/^und-und(-x-|$)/;function no(){let{modelName:e}=l.request,{models:t}=l.server;return t.length<2?u`<span class="hint">${wu.test(e)?m:e}</span>`:u`<select id="model" aria-label="Model" @change=${n=>Oi(L(n))}>
    ${t.map(Ee).map(n=>Mt(n,n,n===e))}
  </select>`}function Be(e,t,n,o,s,r=String){let i=[...new Set([...t,n])].sort((a,c)=>a-c);return u`<select id=${e} aria-label=${s} @change=${a=>o(Number(L(a)))}>
    ${i.map(a=>Mt(a,r(a),a===n))}
  </select>`}var on=e=>l.status.busy[e]?u`<button @click=${()=>Oe(e)}>Stop</button>`:m;function oo(e){let{temperature:t,seed:n,text:o}=l.request;return!t||A()&&!o.trim()?m:u`<button id="again" @click=${()=>{g({request:{seed:n+1}}),e()}}>Draw again</button>`}var yu=1e3,hs=.5,$u=.7,xu=.05,ku="20px system-ui, sans-serif",vu=16,Tu=3,Su=3,ve=30,Ci=14,ds=140,Ru=640,Au=.7,Eu=1.4,Pu=.4,so=null;function Mu(e){let t=Math.min(l.view.rowShare,hs);if(so?.weights===e&&so.share===t)return so.edges;let n=Math.max(1,Math.floor(yu/e.rows)),o=Array.from({length:e.rows},(s,r)=>Wi(e,r,t).slice(0,n)).flat();return so={weights:e,share:t,edges:o},o}function Wi(e,t,n){let o=vt(e,t);return[...Hn(o,n)].map(s=>({row:t,key:s,weight:o[s]}))}var Li=new OffscreenCanvas(1,1).getContext("2d");function io(e){return Li.font=ku,Li.measureText(e).width}var _u={auto:"⁨",ltr:"⁦",rtl:"⁧"};function ro({labels:e,pieces:t,direction:n},o){let s=p=>t[p]!==""&&!/^\s|^▁/u.test(t[p]+e[p]),r=re(t,n),i=[],a=0,c;for(let p of mi(r)){let d=$(e[p]),h=Math.max(24,io(d));if(c!==void 0){let f=Math.abs(p-c)===1&&s(Math.max(p,c));a+=f?Tu:o*vu}a+=h,i[p]={text:d,x:a-h/2,y:0,width:h,direction:ie(d,r[p])},c=p}return{width:a,words:i}}function Ou({rows:e,keys:t},n){let o=f=>Math.max(ro(e,f).width,ro(t,f).width),[s,r]=[o(1),o(2)-o(1)],i=Math.max(1,Math.min(Su,1+(n-Ci-s)/Math.max(r,1))),a={rows:ro(e,i),keys:ro(t,i)},c=Math.max(a.rows.width,a.keys.width)+Ci,p=(f,b)=>f.words.map(y=>({...y,x:y.x+(c-f.width)/2,y:b})),d=ve,h=d+ds;return{width:c,height:h+ve,keys:p(a.keys,ve/2),rows:p(a.rows,h+ve/2),path:(f,b)=>`M ${f.x} ${h} C ${f.x} ${h-ds/2}, ${b.x} ${d+ds/2}, ${b.x} ${d}`}}function Cu(e,t){let n=[...e];if(io(e)<=t)return e;for(;n.length>1&&io(`${n.join("")}…`)>t;)n.pop();return`${n.join("")}…`}function Lu({rows:e,keys:t},n){let o=(p,d)=>{let h=re(p.pieces,p.direction);return p.labels.map(b=>Cu($(b),Pu*n)).map((b,y)=>{let w=Math.max(24,io(b)),x=d?n-4-w/2:4+w/2;return{text:b,width:w,x,y:ve*(y+.5),direction:ie(b,h[y])}})},[s,r]=[o(t,!1),o(e,!0)],i=10+Math.max(...s.map(p=>p.width)),a=n-10-Math.max(...r.map(p=>p.width)),c=(i+a)/2;return{width:n,height:ve*Math.max(s.length,r.length),keys:s,rows:r,path:(p,d)=>{let h=`C ${c} ${p.y}, ${c} ${d.y}, ${i} ${d.y}`;return`M ${n-8-p.width} ${p.y} L ${a} ${p.y} ${h} L ${8+d.width} ${d.y}`}}}var ms=()=>Di()<Ru;function Di(){let e=document.querySelector(".panel.alignment");if(!e)return innerWidth-66;let{paddingLeft:t,paddingRight:n}=getComputedStyle(e);return e.clientWidth-parseFloat(t)-parseFloat(n)}function Hi(e,t,n){let o=e.currentTarget.ownerSVGElement;o.classList.toggle("hovering",n!==null);for(let r of o.querySelectorAll(".lit"))r.classList.remove("lit");if(n===null)return;let s=t==="row"?"key":"row";for(let r of o.querySelectorAll(`.edge[data-${t}="${n}"]`))r.classList.add("lit"),o.querySelector(`.word[data-${s}="${r.dataset[s]}"]`)?.classList.add("lit");o.querySelector(`.word[data-${t}="${n}"]`)?.classList.add("lit")}function Hu({text:e,x:t,y:n,direction:o},s,r,i,a){return N`<text class="word ${$t(r,i)}" x=${t} y=${n} dy="0.35em"
    data-row=${s==="row"?r:-1}
    data-key=${s==="key"?r:-1} @click=${a}
    @pointerenter=${c=>Hi(c,s,r)}
    @pointerleave=${c=>Hi(c,s,null)}>${_u[o]}${e}\u2069</text>`}var Ni=e=>e?N`<rect class="frame-of-word" x=${e.x-e.width/2-4} y=${e.y-ve/2+1}
        width=${e.width+8} height=${ve-2} rx="4"></rect>`:m;function Ii(e,{numGiven:t}){let[n,o]=[e[t-1],e[t]];if(!n||!o)return m;let s=ve/2;if(n.y!==o.y){let a=Math.min(n.x-n.width/2,o.x-o.width/2),c=Math.max(n.x+n.width/2,o.x+o.width/2);return N`<path class="boundary" d="M ${a} ${(n.y+o.y)/2} H ${c}"></path>`}let r=Math.sign(o.x-n.x),i=(n.x+r*n.width/2+o.x-r*o.width/2)/2;return N`<path class="boundary" d="M ${i} ${n.y-s} V ${n.y+s}"></path>`}function Bi(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=Di(),a=ms(),c=a?Lu(e,i):Ou(e,i),p=a?1:Math.max(Au,Math.min(Eu,i/c.width)),h=[...l.view.hidesOtherRows?[]:Mu(t).filter(R=>R.row!==s),...Wi(t,s,l.view.rowShare)],f=R=>{let H=R.row===s,q=Math.max(xu,H?R.weight:$u*R.weight);return N`<path class=${H?"edge here":"edge"} data-row=${R.row} data-key=${R.key}
      data-weight=${R.weight.toFixed(3)} opacity=${q} stroke-width=${1+4*R.weight}
      d=${c.path(c.rows[R.row],c.keys[R.key])}></path>`},b=(R,H,q)=>H.map((le,ce)=>Hu(le,R,ce,e[`${R}s`].numGiven,()=>q(ce))),[y,w]=[n.labels.length,o.labels.length],x=Cn(n.numGiven,y),T=`Curves from each of ${y} tokens to those of ${w} that it looks at.${x}`;return u`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${Math.round(p*c.width)}
      height=${Math.round(p*c.height)}
      viewBox="0 0 ${c.width} ${c.height}"
      role="img"
      aria-label=${T}
    >
      ${h.map(f)} ${Ii(c.keys,o)} ${Ii(c.rows,n)} ${Ni(c.keys[r])}
      ${Ni(c.rows[s])} ${b("key",c.keys,R=>z(e,s,R))}
      ${b("row",c.rows,R=>z(e,R,r))}
    </svg>
  </div>`}function Nu(){let e=l.inspection.result?.tokens.decoder;return e?.keys.spelled[e.keys.spelled.length-e.rows.spelled.length]??null}var fs=(e,t)=>({writes:e[t]??null,read:t?e[t-1]??null:Nu()}),gs=(e,t)=>({writes:e[t+1]??null,read:e[t]??null});function _t(e){return e==="encoder"?"read":l.inspection.result?.target!==null?"translation":e==="decoder"?"text":"read"}function Se({kind:e,rows:t},n){let o=_t(e);return o==="read"?null:o==="translation"?fs(t.labels,n):gs(t.labels,n)}var Te=e=>u`<bdi class="strong">${$(e)}</bdi>`;function ae({writes:e,read:t},n="about",o=m){let s=u`${e===null?"the next token":Te(e)}${o}`;return t===null?u`${n} to write ${s}`:u`${n} to write ${s}, has read up to ${Te(t)}`}var Fi=4,Iu=({weights:e},t)=>e.keys-e.rows+t;function bs(e,t){return e.keys.labels.map((n,o)=>o).filter(n=>me(e.weights,t,n))}function Wu(e){let t=e.rows.labels.flatMap((n,o)=>{let s=Iu(e,o),r=i=>i<s||e.kind==="encoder";return bs(e,o).filter(r).map(i=>Math.abs(s-i))});return t.length?Math.min(...t):null}function qi(e,t){let n=t.slice(0,Fi+ +(t.length===Fi+1)),o=n.map((r,i)=>u`${i?", ":m}<bdi>${$(e.keys.labels[r])}</bdi>`),s=t.length-n.length;return u`${o}${s?` and ${s} more`:m}`}function Du(e){let t=bs(e,e.row),n=Se(e,e.row),o=n?u`${ae(n,"About")}: it may`:u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi> may`,s=e.keys.labels.map((r,i)=>i).filter(r=>!t.includes(r));return t.length?u`${o} look at ${qi(e,s)}, and not at ${qi(e,t)}.`:u`${o} look at all of them.`}var Ui={cross:"No cell is hatched: the text is there from the start, so every place may look at all of it. Heads that read what is written have hatched cells: a place may not look at tokens that are not written yet.",encoder:"No cell is hatched: the text is there from the start, so each token may look at those before and after it."};function Gi(e){let{kind:t}=e;if(t==="flow")return m;if(!e.rows.labels.some((d,h)=>bs(e,h).length))return Ui[t]?u`<p id="mask">${Ui[t]}</p>`:m;let o=_t(t)==="translation",r=t==="decoder"?`a place may not look at tokens that are not written yet. While the model ${o?"translates":"writes"}, there are none. To show this, the whole ${o?"translation":"text"} is read at once, so a mask hides them.`:"",i=Wu(e),a=t==="encoder"?"to each side":"back",c=i===null?"":`this layer looks through a window: at its own position, and ${i-1} ${a}; the rest is hidden.`,p=[r,c].filter(Boolean).join(" Also, ");return u`<p id="mask"> Hatched: ${p} ${Du(e)} </p>`}var ji=5,Bu=.85,Fu=.6;function qu({weights:e,rows:t,keys:n,row:o,key:s}){let r=(a,c)=>{let p=Math.max(0,Math.min(a-2,c-ji));return Array.from({length:Math.min(ji,c)},(d,h)=>p+h)},i=(a,c)=>{let p=me(e,a,c)?"forbidden":He(e,a,c).toFixed(2),d=`${$(t.labels[a])} → ${$(n.labels[c])} ${p}`;return u`<td role="gridcell" aria-label=${d}></td>`};return u`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${r(o,e.rows).map(a=>u`<tr> ${r(s,e.keys).map(c=>i(a,c))} </tr>`)}
    </tbody>
  </table>`}function Vi({pieces:e,labels:t,direction:n,numGiven:o},s){let{id:r,label:i,chosen:a,shareOf:c,choose:p}=s,d=re(e,n),h=(b,y)=>{let w=c(y),x=E({background:w?de("heat",Bu*w):"",color:w>Fu?"var(--paper)":""}),T=w?"":$t(y,o),R=`part ${y===a?"here":""} ${T}`,[,H,q]=/^(\s*)([^]*)$/u.exec(b);if(kt(e,y)){let ln=u`<span class=${R} @click=${()=>p(y)} ${x}>${q}</span>`;return{space:H,box:ln}}let le=q||b||$(t[y]),ce=b?ie(b,d[y]):"auto",Nt=u`<bdi class=${b?"":"symbol"} dir=${ce} @click=${()=>p(y)}
      ><span class=${R} ${x}>${le}</span></bdi
    >`;return{space:q?H:m,box:Nt}},f=Zt(e.map(h),d,n);return u`<p id=${r} class="tokens" dir=${n} role="group" aria-label=${i}>${f}</p>`}var Ki={translation:"the place where it is about to be written: all tokens before it have been read there",text:"the place where it has been read, and the next token is about to be written",read:"itself"};function Uu(e){if(e==="flow")return`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${l.inspection.flow?.caveat}`;let t=e==="cross"?"the tokens of the text, which it looks at":"the tokens that it looks at";return`Rows: each token stands for ${Ki[_t(e)]}. Columns: ${t}.`}function Gu({kind:e}){if(e==="flow")return m;let[t,n]=ms()?["Left","Right"]:["Above","Below"];return u`<p class="hint" id="sides">
    ${t}: the tokens that are looked at. ${n}: each token stands for ${Ki[_t(e)]}.
  </p>`}function ju(e,t){let{row:n,key:o,weights:s,keys:r}=t,i=r.direction==="rtl"?-1:1,c={ArrowUp:()=>z(t,n-1,o),ArrowDown:()=>z(t,n+1,o),ArrowLeft:()=>z(t,n,o-i),ArrowRight:()=>z(t,n,o+i),Home:()=>z(t,n,0),End:()=>z(t,n,s.keys-1),n:()=>at(1),p:()=>at(-1),PageDown:()=>lt(1),PageUp:()=>lt(-1)}[e.key];Rt(e)||!c||(c(),e.preventDefault())}var tt=null,Xi=()=>tt;function Vu(e,t){if(!tt)return;let{weights:n,keys:o}=t,s=e.target.getBoundingClientRect(),r=Math.floor((e.clientX-s.left-tt.left)/tt.size),i=Math.floor((e.clientY-s.top-tt.top)/tt.size),a=o.direction==="rtl"?n.keys-1-r:r;i>=0&&a>=0&&i<n.rows&&a<n.keys&&z(t,i,a)}function Ku(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=o.direction==="rtl",a={weights:t,rows:n.labels,keys:o.labels,numGiven:{rows:n.numGiven,keys:o.numGiven},chosen:{row:s,key:r},isMirrored:i},c=w=>{queueMicrotask(()=>{let x=w?.parentElement;x&&(tt=Qr(w,a,x.clientWidth))})},p=`${t.rows} rows, ${t.keys} columns`,d=u`<span><i class="stroke"></i> the others</span>`,h=t.values.includes(t.forbidden),f=u`<span><i class="forbidden"></i> forbidden by a mask</span>`,b=Cn(n.numGiven,n.labels.length),y=`Weights of ${l.view.head}: ${p}. Arrow keys choose a cell.${b}`;return u`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label=${y}
        ${St(c)}
        @pointerdown=${w=>Vu(w,e)}
        @keydown=${w=>ju(w,e)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>${v("weight","weight")} 0 ${te("heat")} 1</span>
      ${h?f:m}
      <span><i class="stroke here"></i> the chosen token</span> ${l.view.hidesOtherRows?m:d}
      ${Uo(n.numGiven)}
    </p>`}function Xu(e){let{kind:t,weights:n,rows:o,keys:s,row:r,key:i,bestKey:a}=e,c=n.values instanceof Uint16Array?3:2,p=x=>He(n,r,x).toFixed(c),d=u`<bdi class="strong">${$(o.labels[r])}</bdi>`,h=u`<bdi class="strong">${$(s.labels[i])}</bdi>`,f=u`<span class="strong number">${p(i)}</span>`,b=!me(n,r,i);if(t==="flow"&&b)return u`<p id="cell" role="status">${h} has a share of ${f} in ${d}.</p>`;let y=u`Most, ${p(a)}, goes to <bdi>${$(s.labels[a])}</bdi>.`,w=Se(e,r);return u`<p id="cell" role="status">
    ${w?u`${ae(w,"About")}:`:d}
    ${b?u`looks with ${f} at`:"may not look at"} ${h}. ${i===a?m:y}
  </p>`}function zi(){let e=(r,i)=>Mt(r,i,r===l.view.head),t=[...l.inspection.result.weights.keys()],n=[...new Set(t.map(M))],o=r=>u`<optgroup label="${yn(r)} (${r})">
      ${t.filter(i=>M(i)===r).map(i=>e(i,Mo(i)))}
      ${e(`${j}${r}`,`mean of ${r}`)}
    </optgroup>`,s=()=>u`<optgroup label="Through all layers">
      ${Ae.map(r=>e(`${I}${r}`,r))}
    </optgroup>`;return u`${v("head","Head")}
    <select id="head" aria-label="Head" @change=${r=>void ne(L(r))}>
      ${n.map(o)} ${e("mean","mean")} ${l.server.storedPage?m:s()}
    </select>
    ${zu()}`}function zu(){let e=wn();if(!e)return m;let{head:t,isOfModel:n}=e;return u`<button id="aligns" aria-pressed=${l.view.head===t} @click=${()=>void ne(t)}
    >${n?"Show the alignment head":"Show the alignment layer of this sentence"}</button
  >`}function Ju(){let{rowShare:e,groupsWords:t,hidesOtherRows:n}=l.view,o=`${Math.round(100*e)} %`;return u`${v("share","Share of a row")}
    <label
      ><input
        id="share"
        type="range"
        min="0.1"
        max="1"
        step="0.05"
        .value=${O(String(e))}
        aria-label="Share of a row"
        aria-valuetext=${o}
        @input=${s=>g({view:{rowShare:Number(L(s))}})}
      />
      <span class="number">${o}</span></label
    >
    <span
      ><input
        id="words"
        type="checkbox"
        aria-label="words"
        .checked=${O(t)}
        @change=${s=>g({view:{groupsWords:xe(s)}})}
      />
      ${v("words","words")}</span
    >
    <label
      ><input
        id="alone"
        type="checkbox"
        .checked=${O(n)}
        @change=${s=>g({view:{hidesOtherRows:xe(s)}})}
      />
      only the chosen token</label
    >`}function Yu({weights:e,rows:t,keys:n}){let o=(a,c)=>me(e,a,c)?null:He(e,a,c).toFixed(4),s=()=>[["row","key","row_token","key_token","weight"],...t.labels.flatMap((a,c)=>n.labels.flatMap((p,d)=>{let h=o(c,d);return h===null?[]:[[c,d,a,p,h]]}))],r=(a,c)=>{let p=o(a,c);return p===null?null:Number(p)};return _("alignment",["#curves","#cell","#matrix","#legend"],s,()=>({head:l.view.head,rows:t.labels,keys:n.labels,weights:t.labels.map((a,c)=>n.labels.map((p,d)=>r(c,d)))}))}var Zu="<s> is the symbol that begins a text, </s> the one that ends it.";function Qu({kind:e,keys:t}){return u`<p class="hint" id="reading">
    ${t.direction==="rtl"?"Its columns run from right to left, as the text does.":m} ${e==="flow"?m:"The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written."} ${Zu}
  </p>`}function ws(e){return(A()||l.server.storedPage)&&e!=="encoder"&&e!=="decoder"?"Alignment":"Attention"}function ep(){let e=Y()?"After a translation, this shows which words of the text each word was written from.":"This shows which tokens of the text each token looks at.";return u`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">${ws()}</h2></div>
    ${l.inspection.result?zi():m}
    <p class="hint">${k()?"…":e}</p>
  </section>`}function tp(){let{head:e}=l.view,{result:t}=l.inspection;return t?.weights.has(e)?$n(e):e.startsWith(I)?`Through all layers: ${e.slice(I.length).replace("-"," ")}`:e.startsWith(j)?`Mean of ${yn(e.slice(j.length))}`:"Mean of the last kind of heads"}function Ji(){let e=Ie();return!e||!l.inspection.result?ep():u`<section class="panel alignment ${Yi(e)?"stale":""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title"
        >${wn()?v("alignment",ws(e.kind)):ws(e.kind)}</h2
      >
      <span id="shown-head" class="strong">${tp()}</span>
      ${Yu(e)}
    </div>
    <div class="together chooser" data-unsaved>${zi()}</div>
    ${Bi(e)} ${e.rows.numGiven?u`<p class="legend">${Uo(e.rows.numGiven)}</p>`:m}
    ${Gu(e)} ${Xu(e)} ${op(e)}
  </section>`}var np="They are no dictionary: they show where one head looks, and it may look at another word than the one that is translated.";function op({kind:e}){return u`<p class="hint">
    Lines lead to the largest weights: of the chosen token, to those that are ${Math.round(100*l.view.rowShare)} %
    of its row; of each other token, to those that are
    ${Math.round(100*Math.min(l.view.rowShare,hs))} %. ${e==="cross"?np:m}
  </p>`}function Yi({kind:e}){let{result:t,flow:n}=l.inspection;return D()||e==="flow"&&n?.inspection!==t}function Zi(){let e=Ie();if(!e||!l.inspection.result)return m;let{rows:t,keys:n,row:o,key:s,weights:r}=e,i=vt(r,o),a=Hn(i,l.view.rowShare),c=Vi(t,{id:"row-tokens",label:"tokens that stand for the places that look",chosen:o,shareOf:()=>0,choose:d=>z(e,d,s)}),p=Vi(n,{id:"key-tokens",label:"tokens that are looked at",chosen:s,shareOf:d=>a.has(d)?i[d]:0,choose:d=>z(e,o,d)});return u`<section class="panel matrix ${Yi(e)?"stale":""}" aria-labelledby="matrix-title">
    <div class="head">
      <h2 id="matrix-title">All its weights</h2>
      ${Ju()}
    </div>
    <p class="hint" id="axes">${Uu(e.kind)}</p>
    ${Gi(e)} ${Ku(e)} ${qu(e)}
    <div class="sides">${c} ${p}</div>
    ${Qu(e)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var sp=6,Qi=1,ys=e=>g({trial:{softmax:{...l.trial.softmax,...e}}});function ea(e,t,n){let o=s=>ys(e==="scaled"?{isScaled:xe(s)}:{isMasked:xe(s)});return u`<label><input id=${e} type="checkbox" .checked=${O(t)} @change=${o} /> ${n}</label>`}function ta({factor:e,cap:t,query:n,allowed:o}){let{softmax:s}=l.trial,{temperature:r,isScaled:i,isMasked:a}=s,c=d=>ys({temperature:10**Number(L(d))}),p=u`<button id="own-softmax" @click=${()=>ys(qt)}>As the model has it</button>`;return u`<div class="controls together" data-unsaved>
      <label
        >${v("temperature","temperature")}
        <input
          id="softmax-temperature"
          type="range"
          min=${-Qi}
          max=${Qi}
          step="0.05"
          .value=${O(String(Math.log10(r)))}
          aria-label="Temperature of this row"
          aria-valuetext=${r.toFixed(2)}
          @input=${c}
        />
        <span class="number">${r.toFixed(2)}</span></label
      >
      ${e===1||t!==null?m:ea("scaled",i,`1 ÷ √${n.length}`)}
      ${o.every(Boolean)?m:ea("masked",a,"mask")} ${gn(s)?m:p}
    </div>
    <p class="hint" data-unsaved> The model does not change: only this table is computed again, from the scores. </p>`}function rp(e,t){let n=ko(t,qt).entropy.toFixed(2),o=u`, in place of <span class="number">${n}</span>`;return u`<p class="hint" id="row-spread">
    The weights are spread by
    <span class="strong number">${e.entropy.toFixed(2)}</span> nats
    (entropy)${gn(l.trial.softmax)?m:o}. ${e.total.toFixed(2)} is the sum of the column
    before it, over all keys.
  </p>`}function na(e,t){let{softmax:n}=l.trial,o=ko(t,n),{keys:s,scores:r,exponentials:i,highest:a,total:c,weights:p}=o,d=s.slice(0,sp),h=d.includes(e.key)||!s.includes(e.key)?d:[...d,e.key],f=gn(n),b=u` <span class="hint">(hidden)</span>`,y=R=>u`<tr class=${R===e.key?"strong":""}>
      <td><bdi>${$(e.keys.labels[R])}</bdi>${t.allowed[R]?m:b}</td>
      <td class="number">${r[R].toFixed(2)}</td>
      <td class="number">${i[R].toFixed(3)}</td>
      <td class="number">${p[R].toFixed(3)}</td>
      ${f?m:u`<td class="number">${t.weights[R].toFixed(3)}</td>`}
      <td class="fill">
        <span class="track"><span ${E({width:`${100*p[R]}%`})}></span></span>
      </td>
    </tr>`,w=s.length-h.length,x=n.temperature===1?"":` ÷ ${n.temperature.toFixed(2)}`,T=`score − ${a.toFixed(2)}`;return u`<table id="softmax" class=${f?"":"compared"}>
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(${x?`(${T})${x}`:T})</th>
          <th>÷ ${c.toFixed(2)} = weight</th>
          ${f?m:u`<th>the model's</th>`}
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody> ${h.map(y)} </tbody>
    </table>
    ${w>0?u`<p class="hint">and ${w} more keys.</p>`:m} ${rp(o,t)}`}var oa=320,sa=18;function nt(e,t,n,{max:o=Math.max(...n.map(Math.abs),1e-9),opacity:s=1}={}){let r=oa/n.length,i=`from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}`,a=(c,p)=>N`<rect x=${p*r} width=${r} height=${sa} class=${c<0?"less":"more"}
      opacity=${(Math.min(1,Math.abs(c)/o)*s).toFixed(3)}><title>${c.toFixed(3)}</title></rect>`;return u`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${oa} ${sa}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, ${i}"
    >
      ${n.map(a)}
    </svg>
  </div>`}var ip=.01,ap=.12;function lp({length:e,residual:t}){let n=Math.max(e,t),o=(s,r,i)=>u`<div class="change">
      <span>${s}</span
      ><span class="track"><span ${E({width:`${100*i/n}%`})}></span></span>
      <span class="number" id=${r}>${i.toFixed(2)}</span>
    </div>`;return u`${o("what it adds","added-length",e)} ${o("the state before","residual-length",t)}`}function cp({likelier:e,said:t}){if(!e.length&&!t)return m;let n=()=>u`It adds <span class="strong number" id="said">${t[1].toFixed(2)}</span> to the logit of
      <bdi class="strong">${$(t[0])}</bdi>, which is about to be written.`,o=()=>u`Read by the output layer, it makes these more likely than any others:
      ${e.map(([s,r])=>u`<span class="likelier"><bdi class="strong">${$(s)}</bdi> +${r.toFixed(2)}</span> `)} <span class="likelier">(${v("logit","logits")}).</span>`;return u`<p>${e.length?o():m} ${t?n():m}</p>`}function up({keys:e,labels:t},n){let o=Math.max(...n.values.flat().map(Math.abs),1e-9),s=e.filter((c,p)=>p===0||n.weights[c]>=ip),r=n.weights.length>s.length,i=Math.max(0,1-s.reduce((c,p)=>c+n.weights[p],0)),a=s.map((c,p)=>{let d=n.weights[c],h=u`<bdi>${$(t[c]??"")}</bdi>
      <span class="number">× ${d.toFixed(2)}</span>`,f=Math.max(ap,d);return nt(`value ${p}`,h,n.values[p],{max:o,opacity:f})});return u`<p>
      Each of these tokens has a ${v("value","value")}, too. The head multiplies each value by its weight, and adds
      them up:
    </p>
    ${a} ${r?u`<p class="hint">and all other keys, together × ${i.toFixed(2)}.</p>`:m}
    ${nt("sum",u`<span class="strong">their sum</span>`,n.total,{max:o,opacity:1})}
    <p>A matrix turns the sum into the vector that the head adds to the state. Lengths:</p>
    <div class="lengths">${lp(n)}</div>
    ${cp(n)}`}function ra(e){$i(e);let{writes:t}=l.inspection,n=Et(),o=t!==null&&t.cell!==We(e.row,l.view.head);return u`<div id="writes" class=${o?"stale":""} ?data-unsaved=${n!==""}>
    <h3>What it takes from them, and adds</h3>
    ${n?u`<p class="hint" id="no-writes">This cannot be shown for this model: ${n}</p>`:t?up({keys:t.result.keys,labels:t.view.keys.labels},t.result):u`<p class="hint">…</p>`}
  </div>`}var $s="The place that is about to write a token asks with its query; the tokens that it may look at answer with their keys, and give their values.",pp="Query and keys have been rotated by angles that grow with their positions, so the score depends on how far apart the two tokens are.";function dp({key:e},t){let{query:n,terms:o,factor:s,cap:r,scores:i,bias:a,allowed:c}=t;if(!c[e])return u`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;let p=o.reduce((y,w)=>y+w,0),d=(y,w=3)=>u`<span class="number">${y.toFixed(w)}</span>`,h=u`, times ${d(s,5)} (1 ÷ √${n.length})`,f=r===null?m:u`, bounded by ${d(r,0)} (${r} · tanh(it ÷ ${r}))`,b=u`, plus ${d(a[e])} for the positions`;return u`<p id="score">
    The sum, ${d(p)}${s===1?m:h}${f}${a[e]?b:m}, is the score
    <span class="strong number">${(i[e]+a[e]).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`}function hp(e,t){let n=u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,o=u`<bdi class="strong">${$(e.keys.labels[e.key])}</bdi>`,s=Se(e,e.row),r=s?u`the place that is ${ae(s)}`:u`the token ${n}`,i=t.is_additive?"v · tanh(query + key)":"their product, number by number",a=s?.writes?u`query, about to write <bdi>${$(s.writes)}</bdi>`:"query";return u`<p class="hint">${$s}</p>
    <p class="hint" id="place">The query belongs to ${r}. ${t.is_rotated?pp:m}</p>
    <p class="legend">
      Each square is a number: <span>below 0 ${te("less")}</span> <span>above 0 ${te("more")}</span>
    </p>
    ${nt("query",a,t.query)} ${nt("key",u`key of ${o}`,t.key)}
    ${nt("terms",i,t.terms)} ${dp(e,t)} ${ta(t)}
    ${na(e,t)} ${ra(e)}`}function mp(e,t){let{scores:n,bias:o,allowed:s,weights:r}=t,{labels:i}=e.keys;return _("computed",[".computed > .strip","#score","#softmax","#writes"],()=>[["key","score","position","allowed","weight"],...i.map((p,d)=>[p,n[d],o[d],Number(s[d]),r[d]])],()=>({head:l.view.head,row:e.rows.labels[e.row],key_token:i[e.key],...t,writes:l.inspection.writes?.result??null}))}function ia(){let e=Ie(),t=l.inspection.result;if(!t||!e||l.server.storedPage)return m;let{showsComputation:n,groupsWords:o,head:s}=l.view,r=t.weights.has(s);n&&!o&&yi(e);let i=n&&r&&!o?l.inspection.lookup:null,a=D()||i!==null&&i.cell!==is(e),p=n?r?o?"Heads look at tokens, and not at words. Switch “words” off.":i?hp(i.view,i.result):"…":u`<p class="hint">${$s}</p>
        <p class="hint">What is shown is not one head. Choose a head in the grid.</p>`:`${$s} This shows the numbers.`;return u`<section class="panel computed ${a?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">${v("lookup","How this weight is computed")}</h2>
      <button
        id="explain"
        aria-expanded=${n}
        @click=${()=>g({view:{showsComputation:!n}})}
        >${n?"Hide":"Show"}</button
      >
      ${i?mp(i.view,i.result):m}
    </div>
    ${typeof p=="string"?u`<p class="hint">${p}</p>`:p}
  </section>`}var fp=()=>S()?.arch==="rnn",gp=()=>[...l.inspection.result?.weights.keys()??[]].some(e=>e.startsWith("decoder.")),xs={shuffle:{button:"Shuffle the words",says:"The model reads the words of the text in another order.",reason:()=>l.inspection.result?.target===null?"reads no other text than its own":void 0},"no-positions":{button:"Take positions away",says:"Nothing tells the model any more where a token stands: no position is added to an embedding, and attention neither rotates queries and keys by positions nor adds numbers for distances. It sees a set of tokens; the mask is left.",reason:()=>fp()?"reads token by token: it has no positions to take away":void 0},future:{button:"Let it see the future",says:"No mask: a place may look at the tokens after it, and at the one that it is about to write. The model was trained with the mask, so it has not learnt what to do with them.",reason:()=>gp()?void 0:"reads token by token: it has no mask to take away"}},aa=0;function bp(){let e=t=>{let{button:n,reason:o}=xs[t],s=o(),r=l.inspection.experiment?.result.change===t,i=()=>{t==="shuffle"&&(aa+=1),os(t,aa)};return u`<button
      data-change=${t}
      aria-pressed=${r}
      ?disabled=${s!==void 0}
      title=${s?`This model ${s}.`:m}
      @click=${i}
      >${n}</button
    >`};return u`<p class="together" data-unsaved>${Object.keys(xs).map(e)}</p>`}function wp({change:e,source:t,tokens:n,before:o,after:s}){let r=s.map((d,h)=>d-o[h]),[i,a]=[zt(o),zt(s)],c=(d,h)=>u`<span class="strong number" id=${h}>${d.toFixed(2)}</span>`,p=u`<p>It reads: <bdi class="strong" id="shuffled">${t}</bdi></p>`;return u`<p>${xs[e]?.says}</p>
    ${e==="shuffle"?p:m}
    <p>
      The same ${S()?.direction?"translation":"text"} then has a log-probability of
      ${c(a,"sum-after")} in place of ${c(i,"sum-before")} (<span class="number"
        >${Jt(a-i,2)}</span
      >
      ${v("log-probability","nats")}). Of each token:
    </p>
    ${Fn("then","nats")} ${qn(n,r,"nats",On(l.inspection.sentence))}`}function yp(e){let{tokens:t,before:n,after:o}=e;return _("experiment",[".experiments .changes"],()=>[["token","before","after"],...t.map((r,i)=>[r,n[i],o[i]])],()=>e)}function la(){let{result:e,experiment:t,snapshot:n}=l.inspection;if(!Y()||!e||n!==null)return m;let o=t?.inspection===e?t.result:null,s=u`<p class="hint">
    What does the model need to know? Take something away, and see how much less likely each token becomes.
  </p>`;return u`<section class="panel experiments ${D()?"stale":""}" aria-labelledby="experiments-title">
    <div class="head">
      <h2 id="experiments-title">Experiments</h2>
      ${o?yp(o):m}
    </div>
    ${bp()} ${o?wp(o):s}
  </section>`}var $p=.85,xp=.6,ca={encoder:"Encoder: the text",decoder:"Decoder: what is written"},ks=e=>e.toFixed(2).replace(/^-0\.00$/,"0.00");function kp(e,{tokens:t,effects:n}){let o=n[e],{patched:s}=l.trial,r=(a,c,p)=>{let d=s?.stack===e&&s.layer===c&&s.position===p,h=Math.min(1,Math.max(0,a)),f=E({background:de("heat",$p*h),color:h>xp?"var(--paper)":""}),b=`${$(t[e][p])} after layer ${c}: effect ${ks(a)}`;return u`<td>
      <button
        class="patch number"
        aria-pressed=${d}
        aria-label=${b}
        ${f}
        @click=${()=>g({trial:{patched:{stack:e,layer:c,position:p}}})}
        >${ks(a)}</button
      >
    </td>`},i=(a,c)=>u`<tr>
      <th scope="row">layer ${c}</th>
      ${a.map((p,d)=>r(p,c,d))}
    </tr>`;return u`<div class="scroll" tabindex="0" role="group" aria-label=${ca[e]??e}>
    <table class="patches" data-stack=${e}>
      <thead>
        <tr>
          <th scope="col">${ca[e]??e}</th>
          ${t[e].map(a=>u`<th scope="col"><bdi>${$(a)}</bdi></th>`)}
        </tr>
      </thead>
      <tbody> ${o.map(i).reverse()} </tbody>
    </table>
  </div>`}function vp({answers:e,difference:t,other_difference:n,tokens:o,effects:s}){let{patched:r}=l.trial,a=(r&&s[r.stack])?.[r.layer]?.[r.position];if(a===void 0)return m;let{stack:c,layer:p,position:d}=r,h=t+a*(n-t);return u`<p id="patch-effect" role="status">
    The state of the other text in the place of ${Te(o[c][d])}, after layer ${p} of the
    ${c}: <span class="strong number">${ks(a)}</span> of the way from ${Te(e[0])} to
    ${Te(e[1])}. The difference of their log-probabilities is then
    <span class="number" id="patch-difference">${h.toFixed(2)}</span> ${v("difference","nats")}.
  </p>`}function Tp(e){let{answers:t,difference:n,other_difference:o,effects:s}=e;return u`<p id="patch-answers">
      After this text the model says ${Te(t[0])}, after the other one ${Te(t[1])}: log
      p(<bdi>${$(t[0])}</bdi>) − log p(<bdi>${$(t[1])}</bdi>) is
      <span class="number">${n.toFixed(2)}</span> and
      <span class="number">${o.toFixed(2)}</span>. Each number below: how much of the way one state of the
      other text goes, put into the run on this one. 0: nothing changes; 1: that state alone makes the model say
      ${Te(t[1])}.
    </p>
    ${Object.keys(s).map(r=>kp(r,e))} ${vp(e)}`}function Sp(e,t){return _("patching",[".patches","#patch-effect"],()=>[["stack","layer","position","token","effect"],...Object.entries(e.effects).flatMap(([o,s])=>s.flatMap((r,i)=>r.map((a,c)=>[o,i,c,e.tokens[o][c],a])))],()=>({other:t,...e}))}function ua(){let{result:e,patching:t,snapshot:n}=l.inspection;if(!e||n!==null||l.server.storedPage||e.arch==="rnn")return m;let o=t?.inspection===e?t:null,s=l.trial.otherText??e.text,r=p=>{p.preventDefault(),rs(s)},i=u`<p class="hint">
    Which states make the difference? Change one word of the text, so that what the model says changes, too. States of
    the other text are then put into the run on this one, one at a time: a run of the model for each token and layer.
    Both texts need the same number of tokens.
  </p>`,a=ss(),c=u`<p class="hint">Both begin with what you wrote: <bdi class="strong">${a}</bdi></p>`;return u`<section class="panel patching ${D()?"stale":""}" aria-labelledby="patching-title">
    <div class="head">
      <h2 id="patching-title">${v("patching","Patching")}</h2>
      ${o?Sp(o.result,o.other):m}
    </div>
    <form class="together" data-unsaved @submit=${r}>
      <label
        >The other text
        <input
          id="other"
          type="text"
          dir="auto"
          autocomplete="off"
          .value=${O(s)}
          @input=${p=>g({trial:{otherText:L(p)}})}
        />
      </label>
      <button id="patch" ?disabled=${s===e.text||!S()}>Exchange states</button>
    </form>
    ${a?c:m} ${o?Tp(o.result):i}
  </section>`}var Rp=5,Ap=480,Ep=40,pa=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e/t*n)));function Pp(e,t){if(e>Ep)return m;let n=Pe().slice(0,e);return u`<div class="sweep-names" aria-hidden="true" ${E({"--columns":String(e)})}>
    ${n.map((o,s)=>u`<bdi class=${s===t?"here":""}>${$(o)}</bdi>`)}
  </div>`}function da(e){let{importance:t,importanceByToken:n}=l.heads,{sentence:o}=l.inspection,s=e.map(y=>n[y]??[]),r=Math.max(...s.map(y=>y.length));if(!t||!o||!r)return m;let i=A()?0:1,a=Math.max(0,Math.min(l.view.outputPosition-i,r-1)),c=e.findIndex((y,w)=>y===l.view.head&&s[w].length),p=$(Pe()[a]??""),d=c<0?"":`${e[c]} is worth ${s[c][a].toFixed(3)} nats for ${p}.`,h=s.map(y=>y.map(w=>-w)),f=y=>{y&&Zr(y,h,r)},b=y=>{let w=y.target.getBoundingClientRect(),x=e[pa(y.clientY-w.top,w.height,e.length)],T=pa(y.clientX-w.left,w.width,r)+i;g({view:{head:x,outputPosition:Math.min(T,o.tokens.length-1)}})};return u`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${d}"
      ${St(f)}
      ${E({height:`${Math.min(Rp*e.length,Ap)}px`})}
      @pointerdown=${b}
    ></canvas>
    ${Pp(r,a)}
    <p id="sweep-cell" role="status">${d||"Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is less likely ${te("less")}</span>
      <span>more likely ${te("more")}</span>
      <span>${Bn}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above, from left to right and then down; a column for each
      token${A()?", the end included":" after the first"}.
    </p>
  </details>`}var Mp=44,_p=.35,vs={place:()=>0,worth:({head:e})=>-(l.heads.importance?.[e]??0),entropy:({entropy:e})=>e,sharpness:({confidence:e})=>-e,offset:({offset:e})=>e===null?1/0:Math.abs(e),label:({label:e})=>e};function Ts(){let{sortBy:e,importance:t}=l.heads;return Object.hasOwn(vs,e)&&(e!=="worth"||t)?e:"place"}var ma=()=>Ts()!=="place";function fa(){let{heads:e}=l.inspection.result;if(ma()){let n=vs[Ts()],o=(s,r)=>n(s)<n(r)?-1:+(n(s)>n(r));return[{layer:"",heads:[...e].sort(o)}]}return[...new Set(e.map(n=>M(n.head)))].map(n=>({layer:n,heads:e.filter(o=>M(o.head)===n)}))}var ga=()=>l.inspection.result.heads.map(e=>e.head),ba=e=>ga().filter(t=>M(t)===M(e));function wa(e){let t=ga().filter(s=>s!==e),{disabled:n}=l.heads,o=n.length===t.length&&!n.includes(e);ye(o?[]:t)}function Op(e,t){let n=fa().map(({heads:p})=>p.map(d=>d.head)),o=n.findIndex(p=>p.includes(e)),s=n[o].indexOf(e),r=n.flat(),i=r.indexOf(e),a=(p,d)=>p[Math.max(0,Math.min(d,p.length-1))];return{ArrowLeft:a(r,i-1),ArrowRight:a(r,i+1),ArrowUp:a(a(n,o-1),s),ArrowDown:a(a(n,o+1),s),Home:n[o][0],End:n[o].at(-1)}[t]}var ha={n:()=>at(1),p:()=>at(-1),PageDown:()=>lt(1),PageUp:()=>lt(-1)};function Cp(e,t){if(Rt(e))return;let n=Op(t,e.key);if(n!==void 0)g({view:{head:n}});else if(Object.hasOwn(ha,e.key))ha[e.key]();else if(e.key===" "&&oe())yt(e.shiftKey?ba(t):[t]);else if(e.key==="s"&&oe())wa(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${l.view.head}"]`)?.focus())}function Lp(e){let t=Math.max(...Object.values(l.heads.importance??{}),1e-9),n=de("heat",_p*Math.max(0,e)/t),o=e.toFixed(2).replace("-0.00","0.00");return u`<span class="tag number" aria-hidden="true" ${E({background:n})}>${o}</span>`}function Hp({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e];return[`${e}: ${t}`,`entropy ${n.toFixed(2)} nats`,`highest weight ${o.toFixed(2)}`,...s===null?[]:[`offset ${s.toFixed(1)}`],...r===void 0?[]:[`worth ${r.toFixed(3)} nats per token`]].join(", ")}function Np(e,t){let{head:n}=e,o=l.inspection.result.weights.get(n),s=l.heads.disabled.includes(n),r=l.heads.importance?.[n],i=Hp(e),a=p=>{p&&Yr(p,o,Mp,hi(n))},c=n.replace(/^(\w)\w+/,"$1");return u`<button
    class="cell ${s?"off":""}"
    aria-pressed=${l.view.head===n}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${n}
    tabindex=${t?0:-1}
    @click=${()=>g({view:{head:n}})}
    @keydown=${p=>Cp(p,n)}
    ><canvas ${St(a)}></canvas>
    ${ma()?u`<span class="tag" aria-hidden="true">${c}</span>`:m}
    ${r===void 0?m:Lp(r)}</button
  >`}function Ip(e){let t=l.heads.disabled.includes(e),n=ba(e).filter(o=>o!==e);return u`<button id="toggle" data-unsaved @click=${()=>void yt([e])}
      >${t?"Switch on":"Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${()=>wa(e)}>Solo</button>
    <button data-unsaved @click=${()=>void ye(n)}>Solo in its layer</button>`}function Wp({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e],i=u`, ${v("offset","offset")} ${s?.toFixed(1)}`;return u`<div class="chosen">
    <p class="strong" id="head-words">${$n(e)}</p>
    ${oe()?u`<p class="together">${Ip(e)} ${ri()}</p>`:m}
    <p class="hint" id="statistics">
      <span id="head-title">${e}</span>: ${v("label",t)}; ${v("entropy","spread (entropy)")}
      ${n.toFixed(2)} nats, ${v("highest","highest weight")}
      ${o.toFixed(2)}${s===null?m:i}, mean over
      rows.${r===void 0?m:u` Worth ${r.toFixed(3)} nats per token.`}
    </p>
  </div>`}var Dp={entropy:"spread (entropy)",sharpness:"highest weight"};function Bp(){let{importance:e}=l.heads,t=Object.keys(vs).filter(n=>n!=="worth"||e);return u`<label
    >Order
    <select id="order" @change=${n=>g({heads:{sortBy:L(n)}})}>
      ${t.map(n=>Mt(n,Dp[n]??n,n===Ts()))}
    </select></label
  >`}function Fp(e,t){if(!e)return m;let n=`Layer ${e.split(".")[1]}`;return oe()?u`<button
    class="site"
    title="Switch the whole layer off or on"
    aria-label="${n} (${e})"
    @click=${()=>void yt(t)}
    >${n}</button
  >`:u`<span class="site">${n}</span>`}function qp(e){return l.inspection.result?.target!=null?e==="encoder"?"Encoder: the text reads itself":e==="cross"?"Cross: the translation reads the text":"Decoder: the translation reads what is written (grey area: not written yet)":"The text reads itself"}function Up(e){let t=e.map(({layer:n})=>n.split(".")[0]);return[...new Set(t)].map(n=>e.filter((o,s)=>t[s]===n))}function Gp(e,t){let[n]=e[0].layer.split(".");return u`<div class="group">
    ${n?u`<p class="kind hint">${qp(n)}</p>`:m} ${e.map(o=>jp(o,t))}
  </div>`}function jp({layer:e,heads:t},n){let o=t.map(s=>s.head);return u`<div class="layer" role="group" aria-label=${e||"all heads"}>
    ${Fp(e,o)}
    <div class="cells ${e?"":"sorted"}" ${E({"--count":String(t.length)})}>
      ${t.map(s=>Np(s,s.head===n))}
    </div>
  </div>`}function Vp(){let{heads:e}=l.inspection.result,{importance:t,importanceByToken:n,disabled:o}=l.heads,s=c=>t?.[c]??null,r=["head","label","entropy","highest_weight","offset","worth"];return _("heads",["#heads","#sweep",".chosen"],()=>[[...r,...t?Pe():[]],...e.map(({head:c,label:p,entropy:d,confidence:h,offset:f})=>{let b=t?n[c]??[]:[];return[c,p,d,h,f,s(c),...b]})],()=>e.map(c=>({...c,is_off:o.includes(c.head),worth:s(c.head),worth_by_token:n[c.head]??null})))}function ya(){let e=l.inspection.result;if(!e)return u`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let{disabled:t}=l.heads,n=e.heads.find(c=>c.head===l.view.head),o=fa(),s=n?.head??o[0]?.heads[0]?.head,r=u`<button id="rank" @click=${()=>void Je()}>Rank all heads</button>
    <span class="hint">by ${v("worth","worth")}: ${e.heads.length} runs of the model</span>`,i=()=>Ze("heads-off.txt",`${t.join(`
`)}
`);return u`<section
    class="panel heads ${D()?"stale":""}"
    aria-labelledby="heads-title"
    ${E({"--widest":String(Math.max(...o.map(({heads:c})=>c.length)))})}
  >
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${Bp()} ${Y()&&oe()?r:m}
      ${t.length?u`<button @click=${i}>List of heads that are off</button>`:m}
      ${Vp()}
    </div>
    ${n?Wp(n):m}
    <div id="heads">${Up(o).map(c=>Gp(c,s))}</div>
    ${da(o.flatMap(({heads:c})=>c.map(p=>p.head)))}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${oe()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":m}
    </p>
  </section>`}var $a=150,rn=40,Ss=84,sn=$a-Ss/2,Kp=e=>/\.\d+\.\d+$/.test(e);function Rs(e){if(e==="embeddings")return e;let[t,n]=e.split("."),o=`layer ${n}`;if(e.endsWith("feed_forward"))return`${o}: feed-forward`;let s=t==="decoder"&&l.inspection.result?.target!==null;return`${o}: reads ${s?"what is written":"the text"}`}function Xp({parts:e}){return Object.keys(e).filter(Kp).sort((n,o)=>e[o]-e[n])[0]}function zp({name:e,length:t,total:n},o,s){let r=y=>Math.min(Ss,Math.max(1,Ss*y/s)),[i,a]=[r(o),r(n)],c=Math.min(rn,r(t)),p=e==="embeddings",d=p?a:i,h=rn/2,f=sn-i/2,b=`M 0 ${h} C 30 ${h}, ${f-14} ${h}, ${f+6} ${h+4}`;return N`<path class="state" d="M ${sn-d/2} 0 L ${sn+d/2} 0
      L ${sn+a/2} ${rn} L ${sn-a/2} ${rn} Z"></path>
    ${p?m:N`<path class="added" stroke-width=${c.toFixed(2)} d=${b}></path>`}`}function Jp(e,{before:t,max:n,expected:o}){let{name:s,length:r,total:i,says:a}=e,c=Xp(e),p=c!==void 0&&M(l.view.head)===s,d=()=>{ne(c),Tt(".alignment")},h=`adds ${r.toFixed(2)}; the state is then ${i.toFixed(2)} long`,f=Rs(s),b=u`<button
    class="link"
    title="Show head ${c?.split(".")[2]}, which adds most"
    aria-label="${f}. Show ${c}, the head that adds most"
    @click=${d}
    >${f}</button
  >`;return u`<div class="junction ${p?"here":""}" role="listitem" data-sublayer=${s}>
    <span>${c?b:f}</span>
    <svg viewBox="0 0 ${$a} ${rn}" preserveAspectRatio="none" role="img" aria-label=${h}>
      <title>${h}</title>
      ${zp(e,t,n)}
    </svg>
    <span class="number length">${r.toFixed(1)}</span>
    ${a?u`<bdi class=${a[0]===o?"strong":""}>${$(a[0])}</bdi
            ><span class="number">${(100*a[1]).toFixed(0)} %</span>`:m}
  </div>`}var Yp={rotation:"a head rotates its query and its keys by angles that grow with their positions, so a score depends on how far apart the two tokens are",bias:"a head adds a number to each score that depends on how far apart the two tokens are",values:"a head adds a vector to each value that depends on how far apart the two tokens are"},Zp="It is the same with the tokens of the text, in the encoder.";function Qp({sublayers:e,positions:t}){let[n,o]=e,{token:s,position:r}=n?.parts??{},i=u`comes in at the first row, which has two parts: the embedding of the token,
  ${s?.toFixed(1)} long, and that of its position, ${r?.toFixed(1)} long. (They point in different
  directions, so lengths do not add up.)`,a=u`comes in at “${o?Rs(o.name):""}”, and at the same part of each further
  layer: ${t.map((f,b)=>u`${b?", and ":m}${Yp[f]}`)}.`,c="does not come in: this model has no positions, so a place knows only which tokens it may look at.",p=l.inspection.result?.target!==null,d=r!==void 0,h=t.length>0;return u`<p id="token-order">
    <b>The order of the tokens</b> ${d?i:m}
    ${h?u`${d?"It also":m} ${a}`:m}
    ${d||h?m:c} ${p?Zp:m}
  </p>`}function ed({sublayers:e},t){if(t===void 0||!e.at(-1)?.says)return m;let n=u`<bdi class="strong">${$(t)}</bdi>`,o=e.map(({says:r})=>r?.[0]!==t).lastIndexOf(!0),s=e[o+1];return u`<p id="made-word">
    <b>The word to write</b> is made in the layers:
    ${s?u`from “${Rs(s.name)}” on, the output layer would write ${n}.`:u`at their end, ${n} is not the likeliest token.`}
  </p>`}function xa(e,t){if(l.server.storedPage||Et()||!l.inspection.result?.weights.size)return;xi(e);let{stream:n}=l.inspection;if(!n)return u`<p class="hint">…</p>`;let{sublayers:o}=n.result,s=Math.max(...o.map(({total:r})=>r));return u`<div class="captions" aria-hidden="true">
      <span>part</span><span class="state-caption">state</span><span class="number length">adds</span
      ><span>would write</span><span class="number">likely</span>
    </div>
    <div class="stream ${n.cell===We(e)?"":"stale"}" role="list">
      ${o.map((r,i)=>Jp(r,{before:o[i-1]?.total??0,max:s,expected:t}))}
    </div>
    ${Qp(n.result)} ${ed(n.result,t)}
    <p class="hint">
      From top to bottom, ${v("stream","the state")} of the place above grows: each attention and each feed-forward
      layer adds a vector of the length beside it. The last columns have the token that the output layer would write
      from the state as it is there, and how likely (the ${v("lens","logit lens")}). Before the last layers this is
      a hint only: the state is made for the layers that follow. At the top it is still the token that was read.
    </p>`}var Sa=.55,td=-3,Ot=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`,As=e=>({background:e===null?"":de("doubt",Sa*Math.min(1,e/td))});function Ra(e,t){let n=l.view.sentenceIndex!==e;g({view:{sentenceIndex:e,outputPosition:t}},n?{output:{compared:null}}:{}),n&&J()}function nd(e,t,n){let o=l.output.sentences[t].tokens.length,s=getComputedStyle(e.target).direction==="rtl"?-1:1,i={ArrowLeft:n-s,ArrowRight:n+s,Home:0,End:o-1}[e.key];i===void 0||i<0||i>=o||Rt(e)||(e.preventDefault(),Ra(t,i),document.querySelector(`[data-sentence="${t}"] [data-place="${i}"]`)?.focus())}function Aa({edit:e},t,n){return e?.kind==="prefix"&&e.position===n&&e.token===t.token}function od(e,t,n,o,s,r){let i=e.tokens[t],{outputPosition:a}=l.view,c=l.view.sentenceIndex===n,p=c&&a===t,d=t===0&&(!c||a>=e.tokens.length),h=Aa(e,i,t);return u`<button
    class="token ${o?"new":""} ${h?"prefix-end":""} ${s}"
    ${E(As(i.log_prob))}
    aria-pressed=${p}
    tabindex=${p||d?0:-1}
    data-place=${t}
    aria-description=${i.log_prob===null?"":Ot(i.log_prob)}
    title=${h?"written by you":m}
    @click=${()=>Ra(n,t)}
    @keydown=${f=>nd(f,n,t)}
    @pointerenter=${f=>id(f,n,t)}
    @pointerleave=${Ea}
    dir=${ie(i.token,r)}
    >${$(i.token)}</button
  >`}var sd=200,rd=280,ka=8,ao=0;function id(e,t,n){if(e.pointerType==="touch"||(clearTimeout(ao),!l.output.sentences[t]?.tokens[n]?.alternatives.length))return;let{left:o,bottom:s}=e.target.getBoundingClientRect();g({view:{hoveredToken:{sentenceIndex:t,position:n,left:o,bottom:s}}})}function Ea(){clearTimeout(ao),ao=window.setTimeout(()=>{l.view.hoveredToken&&g({view:{hoveredToken:null}})},sd)}function lo(e){let{hoveredToken:t,sentenceIndex:n,outputPosition:o}=l.view;if(!t)return m;let{sentenceIndex:s,position:r,left:i,bottom:a}=t,c=l.output.sentences[s],p=c?.tokens[r];if(!p||s===n&&r===o)return m;let d=b=>{g({view:{sentenceIndex:s,outputPosition:r,hoveredToken:null}}),e(r,b)},h=innerWidth-rd-ka,f={left:`${Math.max(ka,Math.min(i,h))}px`,top:`${a}px`};return u`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(ao)}
    @pointerleave=${Ea}
    ${E(f)}
  >
    ${Pa(c,p,d,-1)}
  </div>`}function Pa(e,t,n,o){let s=(r,i)=>{let a=r===t.token;return u`<button
      class="bar ${a?"own":""}"
      tabindex=${o}
      ?disabled=${a||!e.isDone||!Ei(r)}
      @click=${()=>n(r)}
      ><bdi>${$(r)}</bdi
      ><span class="track"><span ${E({width:`${100*Math.exp(i)}%`})}></span></span>
      <span class="number">${Ot(i)}</span></button
    >`};return t.alternatives.map(([r,i])=>s(r,i))}function co(e){let t=k(),{outputPosition:n}=l.view,o=t?.tokens[n];if(!t||!o?.alternatives.length)return m;let s=$(o.token);return u`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${s}">
    <p class="hint">
      In the place of <bdi class="strong">${s}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${Pa(t,o,r=>void e(n,r),0)}
  </div>`}var ad=e=>u`<button
    class="unpin"
    data-unsaved
    title="Take it back"
    aria-label="Take ${$(e)} back"
    @click=${()=>void cs()}
    >✕</button
  >`,Es=(e,t)=>t&&e.startsWith("▁")?" ":m;function va(e,t){let{original:n}=e;if(!n||!e.isDone)return m;let o=u`<button id="take-back" data-unsaved @click=${()=>void cs()}>Take it back</button>`;return u`<p class="before hint">
    before: <bdi>${Ye(n.text,e.text,"deleted")}</bdi> ${t===l.view.sentenceIndex?o:m}
  </p>`}function Ta(e,t,n){if(!t.length)return m;let o=e==="Given"?e:"Written by the model";return u`<div class="run ${e.toLowerCase()}" role="group" aria-label=${o}>
    <span class="run-name" aria-hidden="true">${o}</span>
    <p class="output" dir=${n}>${t}</p>
  </div>`}function Ct(e,t){let n=jo(e),o=e.tokens.map(h=>h.token),s=!e.isDone&&l.status.busy.translate,r=se(ee(o)),i=re(o,r),a=o.map((h,f)=>{let b=kt(o,f),y=od(e,f,t,n[f],b,i[f]),T=e.isDone&&Aa(e,e.tokens[f],f)&&t===l.view.sentenceIndex?u`${y}${ad(h)}`:y;return{space:Es(h,f),box:T}}),c=(h,f)=>Xn(a.slice(h,f),o.slice(h,f),i.slice(h,f),r),p=`Sentence ${t+1}`,{numGiven:d}=e;if(d){let h=[Ta("Given",c(0,d),r),Ta("Written",c(d),r)];return u`<div data-sentence=${t}>${h}</div> ${va(e,t)}`}return u`<p class="output" dir=${r} data-sentence=${t} role="group" aria-label=${p}>
      ${c(0)}${s?u`<span class="caret"></span>`:m}
    </p>
    ${va(e,t)}`}function Lt(){let e=l.output.sentences.some(s=>jo(s).some(Boolean)),t=k()?.edit?.kind==="prefix",n=u`<span><u class="new">underlined</u>: other than before</span>`,o=u`<span><span class="token prefix-end">framed</span>: written by you</span>`;return u`<p class="legend" id="doubts">
    <span>${v("probability","the model was sure")} ${te("doubt",Sa)} unsure</span>
    ${e?n:m} ${t?o:m}
  </p>`}function Ht(){let e=l.output.sentences.flatMap((t,n)=>t.tokens.flatMap(({token:o,log_prob:s,alternatives:r},i)=>{let a=[n,i,o,s];return r.length?r.map(c=>[...a,...c]):[[...a,"",null]]}));return[["sentence","place","token","log_prob","alternative","its_log_prob"],...e]}var ld=900,Ma=0;function _a(){g({view:{isPlaying:!l.view.isPlaying}}),clearInterval(Ma),l.view.isPlaying&&(Ma=window.setInterval(cd,ld))}function cd(){let e=(l.inspection.sentence?.tokens.length??1)-1;l.view.outputPosition>=e?_a():g({view:{outputPosition:l.view.outputPosition+1}})}var ud=e=>e?`layer ${e-1}`:"embeddings";function pd(e,t,n){let o=(s,[r,i])=>u`<div class="change" role="listitem">
      <span>${ud(s)}</span
      ><span class="track"><span ${E({width:`${100*i}%`})}></span></span>
      <bdi class=${r===n?"strong":""}>${$(r)}</bdi
      ><span class="number">${(100*i).toFixed(0)} %</span>
    </div>`;return u`<div class="lens" role="list">
      ${e.map((s,r)=>o(r,s[t]??["",0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the ${v("lens","logit lens")}). Early layers were not
      trained for this: read it as a hint.
    </p>`}function dd(e,t){return _("layers",[".lens",".stream"],()=>[["step","layer","token","probability"],...t.flatMap((o,s)=>o.map(([r,i],a)=>[a,s?s-1:"embeddings",r,i]))],()=>({tokens:e.tokens.map(o=>o.token),layers:t,stream:l.inspection.stream?.result.sublayers??null}))}function hd(e,t,n){let o=Math.max(0,e.tokens.length-1),{token:s="",log_prob:r}=e.tokens[t]??{},{isPlaying:i}=l.view,a=typeof r=="number"?u` (<span id="probability">${Ot(r)}</span>)`:m,c=e.tokens.map(w=>w.token),p=u`<bdi class="strong">${$(s)}</bdi>${a}`,d=!n&&l.inspection.result.target!==null,h=()=>ae(fs(c,t),"about",a),f=u`${p}; this place is ${ae(gs(c,t))}`,b=d?h():n?f:p,y=`in the ${d?"translation":"text"}, counted from 1`;return u`<div class="controls">
    <button id="play" @click=${_a} aria-label=${i?"Pause":"Play"}
      >${i?"❚❚":"▶"}</button
    >
    <input
      id="step"
      type="range"
      min="0"
      max=${o}
      step="1"
      .value=${O(String(t))}
      aria-label="Token"
      aria-valuetext=${$(s)}
      @input=${w=>g({view:{outputPosition:Number(L(w))}})}
    />
    <span>token ${t+1} of ${o+1} ${y}: ${b}</span>
  </div>`}function md(){let e=t=>{let n=`${I}${t}`,o=()=>{ne(n),Tt(".alignment")};return u`<button aria-pressed=${l.view.head===n} @click=${o}>${t.replace("-"," ")}</button>`};return u`<p class="flows">
    <span class="hint">The share of each token of the input in the output, ${v("flow","through all layers")}:</span>
    ${Ae.map(e)}
  </p>`}function Oa(){let{sentence:e,result:t,flow:n}=l.inspection;if(!t||!e)return m;let{storedPage:o}=l.server,{lens:s,target:r,token_log_probs:i}=t,a=s.length>0,c=Math.max(0,Math.min(l.view.outputPosition,e.tokens.length-1)),p=r===null&&i.length>0,d=e.tokens[p?c+1:c]?.token,h=o?.canLens?"; regard inspect --lens stores it.":".",f=o?`This page was stored without what each layer would say${h}`:"This model's layers cannot be read through its output layer.",b=n!==null&&l.view.head.startsWith(I);return u`<section class="panel layers ${D()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${a?dd(e,s):m}
    </div>
    ${hd(e,c,p)}
    ${xa(c,d)??(a?pd(s,c,d):u`<p class="hint">${f}</p>`)}
    ${o?m:md()}
    ${b?u`<p class="hint" id="caveat">The alignment shows it. ${n.caveat}</p>`:m}
  </section>`}var Ms=332,ot=120,uo=16,st=17,Ia=6,ho=14,fd=3*ho+4,gd=2*ho+4,Ca=12;function Ps(e){let t=[...l.inspection.result.weights.keys()];return new Set(t.filter(n=>n.startsWith(`${e}.`)).map(M)).size}function bd(){let e=l.inspection.result.target!==null,t=(o,s)=>{let r=s.filter(([a])=>Ps(a)),i=Math.max(0,...r.map(([a])=>Ps(a)));return Array.from({length:i},(a,c)=>[...r.map(([p,d])=>({site:`${p}.${c}`,label:d})),{site:`${o}.${c}.feed_forward`,label:"feed-forward"}])};if(!e){let o=Ps("decoder")?"decoder":"encoder";return[{name:o,x:(Ms-ot)/2,layers:t(o,[[o,"reads the text"]])}]}let n=t("decoder",[["decoder","reads what is written"],["cross","reads the text"]]);return[{name:"encoder",x:uo,layers:t("encoder",[["encoder","reads itself"]])},{name:"decoder",x:Ms-ot-uo,layers:n}]}function po(e){let{head:t}=l.view;return l.inspection.result.weights.has(t)?M(t)===e:t.startsWith(I)?!1:t.startsWith(j)?t===`${j}${e}`:e.startsWith(`${Ie().kind}.`)&&e.split(".").length===2}var La=e=>e.length>Ca?`${[...e].slice(0,Ca-1).join("")}…`:e;function wd({x:e,layers:t},n){let o=n;return t.flatMap(s=>{let r=s.map(i=>({...i,x:e,y:o-=st}));return o-=Ia,r})}function Ha({site:e,label:t,x:n,y:o}){return N`<g class=${po(e)?"band here":"band"} data-site=${e}>
    <rect x=${n} y=${o} width=${ot} height=${st-2} rx="3"></rect>
    <text x=${n+ot/2} y=${o+st/2-1} dy="0.35em">${t}</text>
  </g>`}function yd({name:e,x:t,layers:n},o,s){let r=s?t+ot+uo/2:t-uo/2,i=0;return n.map((a,c)=>{let p=o.slice(i,i+=a.length),d=(p[0].y+p.at(-1).y+st)/2-1,h=p.some(({site:f})=>po(f))?"number here":"number";return N`<text class=${h} data-layer="${e}.${c}" transform="translate(${r} ${d}) rotate(-90)"
      dy="0.35em">layer ${c}</text>`})}var Na=(e,t,n)=>e.map((o,s)=>N`<text class="side" x=${t+ot/2} y=${n+(s+.5)*ho} dy="0.35em">${o}</text>`);function $d(e,{site:t,x:n,y:o}){let[s,r]=[e.x+ot,e.y+st/2],i=(s+n)/2,a=o+st/2-1;return N`<path class=${po(t)?"reads here":"reads"}
    d="M ${s} ${r} C ${i} ${r}, ${i} ${a}, ${n-6} ${a}"></path>
    <path class=${po(t)?"tip here":"tip"} d="M ${n-7} ${a-4} l 7 4 l -7 4 Z"></path>`}function xd(e){let t=bd(),n=t.map(({layers:d})=>d.flat().length*st+Math.max(0,d.length-1)*Ia),o=fd+Math.max(...n),[s,r]=t.map(d=>wd(d,o)),i=Se(e,e.row),a=s.at(-1),c=({name:d,x:h},f)=>{let b=d==="decoder"?i:null,w=r!==void 0&&d==="decoder"?"what is written":"the text",x=b?.read==null?[w]:["has read up to",La($(b.read))],T=b?[d,"about to write",La($(b.writes??"…"))]:[d],R=f.at(-1)?.y??o;return N`${Na(x,h,o+2)} ${Na(T,h,R-4-T.length*ho)}`},p=r?.filter(d=>d.site.startsWith("cross."))??[];return u`<svg
    id="map"
    viewBox="0 0 ${Ms} ${o+gd}"
    role="img"
    aria-label="The stacks of the model. Lit: ${l.view.head}"
  >
    ${s.map(Ha)} ${r?.map(Ha)} ${a?p.map(d=>$d(a,d)):m}
    ${t.map((d,h)=>c(d,h?r:s))}
    ${t.map((d,h)=>yd(d,h?r:s,h>0))}
  </svg>`}function kd(e){let t=Se(e,e.row),n=Number(M(l.view.head).split(".").at(-1)),o=n?`layer ${n-1}`:"the embeddings",s=t?u`the state of the place that is ${ae(t)}`:u`the state of <bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,r="Its keys and values come from the encoder: its last layer has a state for each token of the text.",i=`Its keys and values come from the same layer: the states of ${e.kind==="decoder"?"all tokens that were read up to there":"all tokens"}, as they are after ${o}.`;return u`<p id="origins">
    The query of this head comes from ${s}. ${e.kind==="cross"?r:i}
  </p>`}function Wa(){let{result:e}=l.inspection,t=Ie();if(!e||!t||e.arch==="rnn")return m;let n=u`<p id="origins">
    What is shown now is no head: it goes through all layers, from the text to what is written.
  </p>`,o=e.weights.has(l.view.head);return u`<section class="panel map ${D()?"stale":""}" aria-labelledby="map-title">
    <div class="head"><h2 id="map-title">Where it stands</h2></div>
    ${xd(t)} ${o?kd(t):t.kind==="flow"?n:m}
  </section>`}var Da=()=>({id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isOnBestPath:!0});function vd({trace:e}){let t=Da(),n=[];for(let[o,s]of e.entries()){let r=new Set(s.filter(i=>i.fate==="dropped").slice(0,2));n=s.map((i,a)=>{let{fate:c,token:p,id:d}=i,h=i.parent===null?t:n[i.parent];if(!h||c==="dropped"&&!r.has(i))return;let f=c==="finished",b=f?h.path:[...h.path,p],y=f?h.ids:[...h.ids,d],w={...Da(),id:`${o}.${a}`,step:o+1,token:p,candidate:i,path:b,ids:y};return h.children.push(w),w})}return t}function _s(e,t,n){let o=e.step===n,r=(e.candidate?.fate==="finished"||o)&&String(e.ids)===String(t),i=e.children.map(a=>_s(a,t,n)).some(Boolean);return e.isOnBestPath=i||r,e.isOnBestPath}var an=null;function Ba(e,t){if(an?.trace===e&&an.ids===String(t))return an;let n=vd(e),o=e.trace.length,s=_s(n,t,o);s||_s(n,e.sentences[0]?.ids??[],o);let r=[],i=0,a=(p,d,h)=>{let f={node:p,parent:d,x:8+84*h,y:32*(i+1)};r.push(f),p.children.length||(i+=1);let b=[...p.children].sort((y,w)=>Number(w.isOnBestPath)-Number(y.isOnBestPath));for(let y of b)a(y,f,h+1)};a(n,null,0);let c=Math.max(...r.map(p=>p.x))+84;return an={trace:e,ids:String(t),isFound:s,nodes:r,width:c,height:32*(i+1)},an}function Fa({x:e,y:t,parent:n}){let o=n.x+(n.parent?34:4),s=e-30,r=s-6;return n.y===t?`M ${o} ${t} L ${s} ${t}`:`M ${o} ${n.y} C ${r} ${n.y}, ${r-6} ${t}, ${s} ${t}`}function qa({nodes:e},t,n){let o=e.filter(a=>a.x===t.x).sort((a,c)=>a.y-c.y),[s]=e.filter(a=>a.parent===t).sort((a,c)=>a.y-c.y),r=o.indexOf(t);return{ArrowLeft:t.parent?.parent?t.parent:void 0,ArrowRight:s,ArrowUp:o[r-1],ArrowDown:o[r+1]}[n]}var Ua=9,Td={active:"went on",finished:"ended",dropped:"was dropped"};function Sd(e){let t=[...$(e)];return t.length>Ua?`${t.slice(0,Ua-1).join("")}…`:t.join("")}function Ga({path:e,ids:t}){e.length&&(G(),et({text:ee(e),ids:t}))}async function Rd({path:e,ids:t}){await Pt({text:ee(e),ids:t}),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))}function Ad({node:e}){let{fate:t,score:n}=e.candidate,o=ee(e.path),s=String(e.ids)===String(k()?.ids),r=u`<button id="open" @click=${()=>Ga(e)}>Open in the other panels</button>
    <button id="beside" @click=${()=>void Rd(e)}>Compare with the chosen one</button>`;return u`<p id="candidate" role="status">
    <bdi class="strong">${o||"nothing"}</bdi> ${Td[t]} at step ${e.step}, with a score of
    <span class="strong number">${n.toFixed(3)}</span>. ${o&&!s?r:m}
  </p>`}function Ed(e,t,n){let s=e.key==="Enter"||e.key===" "?n:qa(t,n,e.key);s&&(e.preventDefault(),g({search:{candidate:s.node.id}}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${s.node.id}"]`)?.focus()))}var ja=({node:e})=>`${e.isOnBestPath?"best":""} ${e.candidate.fate}`;function Pd(e){return N`<path class="branch ${ja(e)}" d=${Fa(e)}></path>`}function Md(e,t,n){let{node:o,x:s,y:r}=t,{fate:i,score:a}=o.candidate;return N`<g class="node ${ja(t)}" tabindex=${n?0:-1} data-node=${o.id} role="button"
      aria-pressed=${o.id===l.search.candidate}
      aria-label="${$(o.token)}, ${i}, score ${a.toFixed(2)}" transform="translate(${s}, ${r})"
      @click=${()=>g({search:{candidate:o.id}})} @dblclick=${()=>Ga(o)}
      @keydown=${c=>Ed(c,e,t)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${Sd(o.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${a.toFixed(2)}</text>
    <title>${ee(o.path)} (${a.toFixed(3)})</title></g>`}function _d(e,t){let n=e.nodes.slice(1),o=t??n[0];return u`<div class="scroll">
    <svg
      id="tree"
      width=${e.width}
      height=${e.height}
      role="group"
      aria-label="Tree of the search, ${n.length} candidates. Arrow keys go from one to another."
    >
      ${n.map(Pd)} ${n.map(s=>Md(e,s,s===o))}
    </svg>
  </div>`}function Od(e,t,n){if(t)return u`<p class="hint">This is the search for another translation.</p>`;if(n)return m;let o="temperature"in e.decoding?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise.";return u`<p class="hint" id="unsearched">${o}</p>`}function Cd(e,t,n){let o=Ba(e,t.ids),s=o.nodes.slice(1).find(i=>i.node.id===l.search.candidate),r=u`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${t.prefix}</bdi>
  </p>`;return u`${_d(o,s)} ${s?Ad(s):m}
    ${Od(t,n,o.isFound)} ${t.prefix?r:m}
    <p class="hint">
      From left to right, a step for each token; below each token is its score, the log-probability of all up to there.
      The top row is <span class="sign best">${o.isFound?"the chosen hypothesis":"the best hypothesis"}</span>.
      Lines lead from a token to those that were tried after it: full where they were kept, dashed where they were
      dropped. Others <span class="sign dropped">were dropped</span> (of each step, the best two are drawn) or
      <span class="sign finished">ended</span>. Click a token to open its text in the other panels, or to compare it.
    </p>`}function Ld(e){return _("search",["#tree"],()=>[["step","place","parent","token","log_prob","score","fate"],...e.trace.flatMap((n,o)=>n.map(({parent:s,token:r,log_prob:i,score:a,fate:c},p)=>[o+1,p,s,r,i,a,c]))],()=>e)}function Va(){let e=k(),{trace:t}=l.search;if(!l.inspection.result||!e||!A())return m;let n=t!==null&&t.requestKey!==At(e),o=u`<p class="hint">
    Beam search keeps the ${l.request.beamSize} best beginnings at each step. This draws them, and the best that it
    dropped.
  </p>`;return u`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">${v("search","Search")}</h2>
      <button id="search" @click=${()=>void ke()}>${t?"Search again":"Show the search"}</button>
      ${t?Ld(t):m}
    </div>
    ${t?Cd(t,e,n):o}
  </section>`}function Ka(){let e=S()?.snapshots??[];if(!e.length||!A()||!k()?.isDone)return m;let{snapshot:t,result:n}=l.inspection,o=t===null?e.length:e.indexOf(t),s=a=>{let c=e[Number(L(a))];c===void 0?J():en(c)},r=t===null?"the model itself":u`after <span class="strong number">${t.toLocaleString("en")}</span> steps`,i=u`<p>
    Written then: <bdi id="snapshot-written" class="strong">${n?.written||"nothing"}</bdi>
  </p>`;return u`<section class="panel snapshots ${D()?"stale":""}" aria-labelledby="snapshots-title">
    <div class="head">
      <h2 id="snapshots-title">${v("snapshot","While it was trained")}</h2>
    </div>
    <div class="controls">
      <input
        id="snapshot"
        type="range"
        min="0"
        max=${e.length}
        step="1"
        .value=${O(String(o))}
        aria-label="Step of training"
        aria-valuetext=${t===null?"the model itself":`step ${t}`}
        @input=${s}
      />
      <span>${r}</span>
    </div>
    ${t!==null&&n?.written!==void 0?i:m}
    <p class="hint">The panels above show what the model looked at then, while the same translation was written.</p>
  </section>`}function Hd(){let{arch:e,target:t}=l.inspection.result;return[...t!==null||e==="decoder"?["other tokens can be forced"]:[],...e==="rnn"?[]:["heads can be switched off"]].join(", and ")}function Xa(){let e=l.inspection.result,t=k(),{note:n,says:o}=l.server.storedPage;return u`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${_("text",["#text",".stored .output[data-sentence]"],Ht,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${o?u`<p dir="auto" id="says">${o}</p>`:m} ${Ct(t,0)}
    ${e.token_log_probs.length?Lt():m}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, ${Hd()}.
    </p>
    ${n?u`<p class="hint" id="note">${n}</p>`:m}
  </section>`}var Nd=[0,1,2,5,10,50],Id=1,Os=e=>g({trial:{sampling:{...l.trial.sampling,...e}}}),za=e=>`${(100*e).toFixed(Id)} %`;function Ja(e,t,n,o){let s=r=>{let i=Number(L(r));Os(e==="next-temperature"?{temperature:i}:{topP:i})};return u`<label
    >${t}
    <input
      id=${e}
      type="range"
      min=${e==="next-temperature"?0:.05}
      max=${o}
      step="0.05"
      .value=${O(String(n))}
      aria-valuetext=${n.toFixed(2)}
      @input=${s}
    />
    <span class="number">${n.toFixed(2)}</span></label
  >`}function Wd({tokens:e,num_others:t,others:n,others_drawn:o}){let s=(i,a,c)=>u`<tr>
      <td>${i}</td>
      <td class="number">${za(a)}</td>
      <td class="number">${za(c)}</td>
      <td class="fill">
        <span class="track"><span ${E({width:`${100*c}%`})}></span></span>
      </td>
    </tr>`,r=u`<span class="hint">${t.toLocaleString("en")} others</span>`;return u`<table id="next">
    <thead>
      <tr>
        <th>token</th>
        <th>the model's</th>
        <th>drawn</th>
        <th><span class="unseen">drawn, as a bar</span></th>
      </tr>
    </thead>
    <tbody>
      ${e.map(({token:i,prob:a,drawn:c})=>s(u`<bdi>${$(i)}</bdi>`,a,c))}
      ${t?s(r,n,o):m}
    </tbody>
  </table>`}function Dd(e){let{temperature:t,topK:n,topP:o}=l.trial.sampling,{beamSize:s}=l.request,[r]=e.tokens,i=u`A ${v("beam-search",`beam of ${s}`)} tries no more than the first ${s} after this
  beginning, and goes on with the best of all its beginnings.`,a=e.num_drawable.toLocaleString("en");return u`<p>
      Greedy search takes <bdi class="strong">${$(r?.token??"")}</bdi>.
      ${A()&&s>1?i:m} Sampling draws one of
      <span class="strong number" id="drawable">${a}</span> tokens:
    </p>
    <div class="controls" data-unsaved>
      ${Ja("next-temperature","temperature",t,2)}
      <label
        >top k
        ${Be("next-top-k",Nd,n,c=>Os({topK:c}),"Top k",c=>c||"all")}</label
      >
      ${Ja("next-top-p","top p",o,1)}
    </div>
    ${Wd(e)}
    <p class="hint">
      Temperature divides the logits: below 1, the likeliest are drawn more often. Top k draws from the k likeliest
      alone; top p from the likeliest that together have the probability p. Nothing is written by this: “Options” has
      the sampling of the translation.
    </p>`}var Bd=()=>A()?l.view.outputPosition:l.view.outputPosition-1;function mo(){let{sentence:e,result:t,next:n}=l.inspection,o=Bd();if(!Y()||!t||!e||e!==k()||o<0)return m;let{isOpen:s}=l.trial.sampling,r=s?ki(o):"",i=s&&n?.cell!==r;return u`<details
    id="next-token"
    ?open=${s}
    @toggle=${a=>Os({isOpen:a.target.open})}
  >
    <summary>How the next token is chosen</summary>
    <div class=${i?"stale":""}>${n&&s?Dd(n.result):m}</div>
  </details>`}var Ya=.6,Re=()=>S()?.arch==="decoder",Fd=({label:e,prob:t})=>u`<div class="change" role="listitem">
    <bdi>${$(e)}</bdi>
    <span class="track"><span ${E({width:`${100*t}%`})}></span></span
    ><span class="number">${(100*t).toFixed(0)} %</span>
  </div>`;function qd(){let e=l.inspection.result?.predicted,{attribution:t}=l.output;if(!e?.length)return m;let n=S()?.task==="classify"?"the likeliest class":"the chosen token",o=u`<p class="legend">
      <span>${v("moved","moved it")} little ${te("heat",Ya)} much</span>
    </p>
    <p class="hint">The tokens that moved ${n}: the stronger the colour, the more. ${t?.caveat}</p>`;return u`<div id="predicted" role="list">${e.map(Fd)}</div> ${t?o:m}`}function Ud(){let e=k();if(!e||!l.inspection.result)return m;let{outputPosition:t}=l.view,n=l.output.attribution?.shares,o=n?.length===1?n[0]:n?.[Math.min(t,n.length-1)],s=se(e.text),r=e.tokens.map(c=>c.token),i=re(r,s),a=(c,p)=>{let d=o?.[p]??0,h=u`<button
      class="token"
      dir=${ie(c,i[p])}
      aria-pressed=${t===p}
      data-place=${p}
      data-share=${d.toFixed(3)}
      ${E({background:o?de("heat",Ya*d):""})}
      @click=${()=>g({view:{outputPosition:p}})}
      >${$(c)}</button
    >`;return{space:m,box:h}};return u`<p class="output" id="moved" dir=${s}>${Zt(r.map(a),i,s)}</p>`}function Gd(){let{text:e,maxTokens:t,temperature:n}=l.request,o=Be("length",Mi,t,i=>g({request:{maxTokens:i}}),"Tokens"),s=Be("temperature",to,n,i=>g({request:{temperature:i}}),"Temperature"),r=u`<label>Tokens ${o}</label> <label>Temperature ${s}</label>`;return u`<div class="controls">
    <button class="primary" @click=${()=>void tn()} ?disabled=${!e.trim()&&!Re()}
      >${Re()?"Continue":"Read"}</button
    >
    ${on("translate")} ${Re()?u`${oo(()=>void tn())} ${r}`:m}
  </div>`}function jd(e){let t=["#output","#doubts",".alternatives"];if(Re())return _("continuation",t,Ht,()=>l.output.sentences);let n=l.inspection.result?.predicted??[],o=()=>[["label","probability"],...n.map(({label:r,prob:i})=>[r,i])],s=e.tokens.map(r=>r.token);return _("predicted",t,o,()=>({predicted:l.inspection.result?.predicted,tokens:s,moved:l.output.attribution?.shares}))}function Vd(e){return Re()?e?Ct(e,0):u`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`:u`${qd()} ${Ud()}`}function Za(){let e=k(),t=Re()&&e!==void 0,n=!!l.status.busy.translate,o=s=>{zn(s)&&tn()};return u`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${no()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${Re()?"Text to continue":"Text to read"}
          placeholder=${Re()?"Write how it begins.":"Write or paste a text."}
          .value=${O(l.request.text)}
          @input=${s=>g({request:{text:L(s)}})}
          @keydown=${o}
        ></textarea>
        ${Gd()}
      </div>
      <div>
        <div class="head">
          <h2>${Re()?"Continuation":"What the model says"}</h2>
          ${e?.isDone&&l.inspection.result?jd(e):m}
        </div>
        <div class=${V()||n?"stale":""} aria-busy=${n}>
          <div id="output" aria-live="polite">${Vd(e)}</div>
          ${t?u`${Lt()} ${co(us)} ${mo()}`:m}
        </div>
        ${t?lo(us):m}
      </div>
    </div>
  </section>`}var Qa=async()=>{l.heads.disabled.length&&await ye([])},fo=[{title:"Token by token",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:0,head:be(),showsComputation:!1}}),await Qa()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".matrix",target:".frame",prepare:async()=>{g({view:{inputPosition:null}}),await ne(be())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to the place that is about to write one token, and has read those before it; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",target:"#heads",prepare:()=>g({heads:{sortBy:"place"}}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",target:"#softmax",prepare:async()=>{g({view:{showsComputation:!0,groupsWords:!1}}),await zd(()=>l.inspection.lookup!==null&&!Gt("lookup"))},text:"The place that is about to write has a query, and each token that it may look at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1. Below the table: the head takes the values of those tokens by these weights."},{title:"A weight is not a cause",panel:".matrix",target:".frame",prepare:()=>g({view:{showsComputation:!1,head:be()}}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",target:".changes",prepare:()=>ye([be()]),text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:Math.min(1,(k()?.tokens.length??1)-1)}}),await Qa()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",target:".scroll",prepare:ke,text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],Kd=5e3,Xd=20;async function zd(e){let t=performance.now()+Kd;for(;!e()&&!l.status.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,Xd))}function Jd(){let{disabled:e,undoStack:t,sortBy:n}=l.heads,{sentences:o,sourceText:s}=l.output;return{view:{...l.view},heads:{disabled:e,undoStack:t,sortBy:n},search:{...l.search},output:{sentences:o,sourceText:s},scrollTop:scrollY}}var Ls=null;async function el(){let e=S()?.examples?.[0],t=l.request.text.trim()!=="";if(!t&&!e)return g({status:{notice:"Write a text first: this model has no examples."}}),document.querySelector("#text")?.focus();(!(k()?.isDone&&l.output.sourceText!==""&&!V())||!l.inspection.result||F())&&(t||(G(),g({request:{text:e}})),await De(),!k()?.isDone)||(Ls=Jd(),await Hs(0))}async function Cs(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{view:e,heads:t,search:n,output:o,scrollTop:s}=Ls,r=o.sourceText===l.output.sourceText,i=l.inspection.sentence===(o.sentences[e.sentenceIndex]??null);Ls=null;let{isPlaying:a}=l.view,{showsComputation:c,groupsWords:p}=e;r?g({heads:t,search:n,output:o,view:{...e,tourStop:null,isPlaying:a,hoveredToken:null}}):g({heads:t,view:{tourStop:null,showsComputation:c,groupsWords:p}}),document.querySelector("#tour")?.focus({preventScroll:!0}),r&&!i?await J():await he(),r&&e.head.startsWith(I)&&await ne(e.head),ht(()=>scrollTo({top:s}))}async function Hs(e){let t=fo[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),g({view:{tourStop:e}}),await t.prepare(),ht(()=>{if(l.view.tourStop!==e)return;let n=document.querySelector(t.panel);n?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),Zd(n?.querySelector(t.target)??document.querySelector(t.target)??n)})}var Yd=12;function Zd(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:o}=e.getBoundingClientRect(),s=innerHeight-t.offsetHeight;scrollTo({top:Math.max(0,scrollY+n-Math.max(Yd,(s-o)/2)),behavior:Qo()})}function tl(){let e=l.view.tourStop,t=e===null?void 0:fo[e];if(e===null||!t||!A())return m;let n=e===fo.length-1,o=r=>{r.key==="Escape"&&Cs()},s=u`<button id="tour-back" @click=${()=>void Hs(e-1)}>Back</button>`;return u`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${o}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${e+1} of ${fo.length}: ${t.title}</h2>
      <p>${t.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void Cs()}>End</button>
      <span>
        ${e?s:m}
        <button id="tour-next" class="primary" @click=${()=>void(n?Cs():Hs(e+1))}
          >${n?"Done":"Next"}</button
        >
      </span>
    </div>
  </div>`}var nl=50,Qd=400,eh=["ÿþ","þÿ"];async function th(e){let t=await e.arrayBuffer();try{return new TextDecoder("utf-8",{fatal:!0}).decode(t)}catch{if(eh.includes(String.fromCharCode(...new Uint8Array(t,0,2))))throw new Error(`${e.name}: text must be UTF-8; got UTF-16, it seems. Convert the file first.`);let[n=""]=new TextDecoder().decode(t).split("�"),o=n.split(`
`).length;throw new Error(`${e.name}, line ${o}: text must be UTF-8; got other bytes. Convert the file first.`)}}async function Ns(e,t={...Q(),...gt()},n=S()?.target??"translated"){let o=async s=>{let r=await th(e),i=/\.html?$/i.test(e.name),a=i?[r]:r.split(/\r?\n/),c=[];for(let h=0;h<a.length;h+=nl){let f=a.slice(h,h+nl),b={...t,texts:f,format:i?"html":"text"},{translations:y}=await W("translate",b,s);y.forEach((w,x)=>{let T=h+x+1;if("error"in w)throw new U(Qd,`Line ${T} of ${e.name}: ${w.error.message}`);c.push(w.text)}),dt("file",`Translating ${e.name}: ${c.length} of ${a.length} lines`)}let[,p,d]=/^(.*?)(\.[^.]*)?$/.exec(e.name);Ze(`${p}.${n}${d??".txt"}`,c.join(`
`),i?"text/html":"text/plain")};await P("file",`Translating ${e.name}`,o,()=>Ns(e,t,n))}var nh=300,oh=[1,2,3,5,8,12],rl=/<\/?[a-z][^>]*>/i,ol=0;function sh(e){let t=L(e);g({request:{text:t,isHtml:l.request.isHtml&&rl.test(t)},output:{isExample:!1}}),clearTimeout(ol),ol=window.setTimeout(()=>{l.request.text===t&&(wt(),l.request.translatesWhileTyping&&De())},nh)}function Is(e){g({request:e}),De()}function il(){G(),De()}function rh(e,t){let{text:n,score:o}=e,s=u`<span class="number">${o.toFixed(3)}</span>`;if(!n)return u`<li><span class="hint">nothing</span> ${s}</li>`;let{compared:r}=l.output,i=r!==null&&Ln(e,r),a=()=>{G(),et(e)},c=u`<button
    class="compare"
    aria-pressed=${i}
    @click=${()=>void Pt(e)}
    >compare</button
  >`;return u`<li>
    <button class="link" aria-pressed=${n===t.text} @click=${a}><bdi>${n}</bdi></button>
    ${s} ${n===t.text?m:c}
  </li>`}var sl=!1;function ih(){let e=k();if(!e?.isDone)return m;let{nBest:t}=e,n=t.filter(({text:r},i)=>t.findIndex(a=>a.text===r)===i);if(n.length<2)return m;let o=n.length-1;return u`<details class="nbest" ?open=${sl} @toggle=${r=>{sl=r.target.open}}>
    <summary>${o} other ${o===1?"translation":"translations"}</summary>
    <p class="hint">${v("best","The best translations")}, best first:</p>
    <ol>
      ${n.map(r=>rh(r,e))}
    </ol>
  </details>`}function ah(){let e=k(),{compared:t}=l.output;if(!e?.isDone||!t)return m;let n=({tokens:a})=>a.reduce((c,p)=>c+(p.log_prob??0),0).toFixed(2),o=t.tokens.map(a=>a.token),s=se(t.text),r=re(o,s),i=t.tokens.map(({token:a,log_prob:c},p)=>({space:Es(a,p),box:u`<span
      class="token ${kt(o,p)}"
      dir=${ie(a,r[p])}
      title=${Ot(c)}
      ${E(As(c))}
      >${$(a)}</span
    >`}));return u`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t)}</span> in place of
      <span class="strong number">${n(e)}</span> (without &lt;/s&gt;). Marked words are not in the one above.
    </p>
    <p class="output" dir=${s}>${Xn(i,o,r,s)}</p>
    <p dir="auto">${Ye(t.text,e.text)}</p>
  </div>`}function lh(){return u`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,o=n.files?.[0];o&&Ns(o),n.value=""}}
  /></label>`}function ch(){let{total:e,longestSentence:t,sentenceLimit:n,truncatedSentences:o}=l.tokenCounts;if(e===null)return m;let s=o===1?"1 sentence is":`${o} sentences are`;return u`<span id="count" class="hint ${o?"warning":""}"
    >${e} ${v("tokens","tokens")}${o?`; ${s} cut`:""}; a sentence may have
    ${n}, the longest has ${t}</span
  >`}function uh(){let{text:e,isHtml:t}=l.request,n=u`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${O(t)}
      @change=${o=>Is({isHtml:xe(o)})}
    />
    as HTML</label
  >`;return u`${oo(()=>void De())} ${rl.test(e)?n:m}`}function ph(){let{text:e,translatesWhileTyping:t,beamSize:n,temperature:o}=l.request,s=Be("beam",oh,n,i=>Is({beamSize:i,temperature:0}),"Beam"),r=Be("temperature",to,o,i=>Is({temperature:i}),"Sampling",i=>i||"off");return u`<div class="controls">
    <button class="primary" @click=${il} ?disabled=${!e.trim()}>Translate</button>
    ${on("translate")} ${uh()}
    <details class="options">
      <summary>Options</summary>
      <div class="controls">
        <label
          ><input
            type="checkbox"
            .checked=${O(t)}
            @change=${i=>g({request:{translatesWhileTyping:xe(i)}})}
          />
          while typing</label
        >
        <span class="together">${v("beam","Beam")} ${s}</span>
        <span class="together">${v("sampling","Sampling")} ${r}</span>
        ${lh()} ${on("file")} ${ch()}
      </div>
    </details>
  </div>`}function dh(){let e=S()?.examples??[];if(!(l.output.isExample||!l.request.text)||!e.length)return m;let n=r=>{G(),g({request:{text:r},output:{isExample:!1}}),wt(),De()},o=e.some(r=>r!==l.request.text),s=o?"An example. Write over it, or take another:":"An example. Write over it.";return u`<p class="hint">
    ${l.output.isExample?s:o?"For example:":m}
    ${e.map((r,i)=>r===l.request.text?m:u`<button class="link" title=${r} @click=${()=>n(r)}
        ><span class="whole">${r}</span><span class="short" aria-hidden="true">${i+1}</span></button
      > `)}
  </p>`}function hh(){let{html:e,sentences:t}=l.output;return e?u`<pre class="html">${e}</pre>`:t.length?t.map(Ct):u`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`}function mh(){let{html:e,sentences:t}=l.output,n=e!==""||t.length>0&&t.every(i=>i.isDone),o=()=>e||t.map(({separator:i,text:a})=>`${i??""}${a}`).join(""),s=()=>_("translation",["#output","#doubts",".alternatives"],Ht,()=>t),r=u`<button id="copy" @click=${()=>void En(o())}
    >${l.status.notice===Io?"Copied":"Copy"}</button
  >`;return u`${n?r:m} ${t.some(i=>i.isDone)?s():m}`}function fh(){let{sentences:e}=l.output,t=!!l.status.busy.translate,n=V()||t&&l.output.isEarlier,o=u`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;return u`<div>
    <div class="head">
      <h2>Translation</h2>
      ${mh()}
    </div>
    <div class=${n?"stale":""} aria-busy=${t}>
      <div id="output" aria-live="polite">${hh()}</div>
      ${V()&&!t?o:m} ${e.length?Lt():m}
      ${co(as)} ${mo()} ${ih()} ${ah()}
    </div>
    ${lo(as)}
  </div>`}function al(){let e=t=>{zn(t)&&il()};return u`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head source">
          <h2 id="translate-title">Text</h2>
          ${no()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="2"
          class=${l.output.isExample?"example":""}
          spellcheck="false"
          aria-label="Text to translate"
          placeholder="Write or paste a text."
          .value=${O(l.request.text)}
          @focus=${t=>{l.output.isExample&&t.target.select()}}
          @input=${sh}
          @change=${Er}
          @keydown=${e}
        ></textarea>
        ${ph()} ${dh()}
      </div>
      ${fh()}
    </div>
  </section>`}var ul="regard-theme";function gh(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,o=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=o;try{localStorage.setItem(ul,o)}catch{}g({})}function bh(){return u`<form class="key" @submit=${t=>{t.preventDefault(),ur(document.querySelector("#key").value),Ws()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function wh(){let e=()=>u`${Ji()} ${Zi()}
      <div class="column">${ya()} ${ii()}</div>
      <div class="stacked">${Wa()} ${ia()}</div> ${Oa()} ${la()}
      ${ua()} ${Ka()}`;return l.server.storedPage?u`${Xa()}${e()}`:l.server.models.length?A()?u`${al()}${e()}${Va()}`:u`${Za()}${l.inspection.result?e():m}`:m}var yh=[["#text","Text"],["#output","Translation"],[".alignment","Attention"],[".heads","Heads"],[".without","Without"],[".search","Search"]];function $h(){let e=t=>{let n=document.querySelector(t);n&&t!=="#text"&&(n.tabIndex=-1),n?.focus(),n?.scrollIntoView({block:"start"})};return u`<nav class="skips" aria-label="Go to a part of the page">
    ${yh.map(([t,n])=>u`<button class=${t==="#output"?"desk":""} @click=${()=>e(t)}>${n}</button>`)}
  </nav>`}function xh(){return l.server.storedPage?"What the heads look at":A()||!l.server.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}function kh(){return location.protocol.startsWith("http")&&(k()||l.output.html)?u`<button
    id="share-link"
    title="Copy a link to exactly what is shown: the text, options, head, and words that you wrote"
    @click=${()=>void En(rr(),An)}
    >${l.status.notice===An?"Copied":"Share"}</button
  >`:m}function vh(){let e=Object.values(l.status.busy).at(-1),t=u`<button id="tour" @click=${()=>void el()}>Explain</button>`;return u`<header>
    <h1>Regard</h1>
    <p class="hint">${xh()}</p>
    <span class="said" role="status">${l.status.notice}</span
    ><span class="status" role="status">${e?u`<span class="spinner"></span>${e} …`:m}</span>
    ${A()?t:m} ${kh()}
    ${l.server.storedPage?m:u`<a href="docs">API</a>`}
    <button class="theme" @click=${gh} aria-label="Light or dark">◐</button>
  </header>`}function Th(){let{error:e,needsApiKey:t}=l.status;if(!e)return m;let n=u`<button @click=${()=>void No()}>Try again</button>`;return u`<p class="error" role="alert">${e} ${t?m:n}</p>`}function Sh(){return u`${$h()} ${vh()} ${Th()}
    <main>${l.status.needsApiKey?bh():m} ${wh()}</main>
    ${tl()}`}function rt(){Tr();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(l.status.busy).length>0),Ys(Sh(),e)}async function Ws(){await _r(),pl(),eo(),l.request.text&&l.server.models.length&&(wt(),await nn())}async function Rh(){if(!l.server.models.length)return await Ws();if(K())return await nn();await xr()}function Ah(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e,n=()=>{t.height=`${document.documentElement.offsetHeight+4}px`};new ResizeObserver(n).observe(document.documentElement)}function Eh(){try{return localStorage.getItem(ul)}catch{return null}}function Ph(){let{dataset:e}=document.documentElement,t;addEventListener("beforeprint",()=>{t=e.theme,e.theme="light",rt()}),addEventListener("afterprint",()=>{t===void 0?delete e.theme:e.theme=t,rt()})}var pl=()=>{document.body.dataset.ready="yes"};function Mh(){if(Mr())return;let e=S(),t=Lo();g(t,K()?.tracesSearch?{}:{search:{trace:null,candidate:null}}),g({output:{isExample:!1}}),eo(),ps(e),nn()}var ll=Eh();ll&&(document.documentElement.dataset.theme=ll);Ro(rt);Ro(Pr);addEventListener("resize",rt);Ph();matchMedia("(prefers-color-scheme: dark)").addEventListener("change",rt);Object.assign(globalThis,{regard:{state:l,matrixLayout:Xi,unmatchedWords:Sr}});var cl=vi();cl?(Ah(),Ti(cl).then(()=>{rt(),pl()})):(Sn(),qo(),yr(Rh),addEventListener("hashchange",Mh),rt(),Ws());})();
